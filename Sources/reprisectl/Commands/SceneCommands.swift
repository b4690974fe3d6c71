import ArgumentParser
import RepriseControl

/// Commands that open, save and close scenes, or show their launch reports.
enum SceneCommands {
    static let all: [any ParsableCommand.Type] = [
        OpenCommand.self, CloseCommand.self, PreserveCommand.self, ReportCommand.self,
        ExplainCommand.self,
    ]
}

struct OpenCommand: ControlCommand {
    static let abstract = "Opens a new or saved scene."
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationChangeScopeOptions

    @Argument(help: "The scene's name.", completion: LiveCompletion.closedScenes)
    var name: String

    func setParameters(in call: inout OpenCall) { call.name = name }
}

struct CloseCommand: ControlCommand {
    static let abstract = "Saves and closes a scene, which can be restored later with `open`."

    @OptionGroup var options: ApplicationChangeScopeOptions

    @Argument(help: "The scene's name.", completion: LiveCompletion.openScenes)
    var name: String

    func setParameters(in call: inout CloseCall) { call.name = name }
}

struct PreserveCommand: MultiApplicationCommand {
    typealias Call = PreserveCall
    static let abstract =
        "Saves all objects of an application and waits until their state is durable."

    @OptionGroup var options: MultiApplicationScopeOptions
    var waitsForDurability: Bool { true }

    static func appliesTo(_ phase: ApplicationPhase) -> Bool {
        phase == .running || phase == .launching
    }
}

struct ReportCommand: ControlCommand {
    typealias Call = ReportCall
    static let usesPager = true
    static let abstract =
        "Shows what the last launch of a scene restored, and why it did not restore the rest."

    @OptionGroup var options: SceneScopeOptions

    @Flag(help: "Also show how each object was found and which of its values were not read.")
    var all = false

    func setParameters(in call: inout ReportCall) { call.all = all ? true : nil }

    func present(_ reply: Call.Reply) {
        Terminal.print(
            "scene \(reply.scene): launched with reason \(reply.launchReason), "
                + "\(reply.restored) of \(reply.recorded) objects restored")
        if let death = reply.precedingDeath { Terminal.print(death) }
        if reply.refused { Terminal.print("the application refused its saved state") }
        if let displaced = reply.displaced {
            Terminal.print("the saved state was not restored: \(displaced)")
        }
        printUnrestored("not restored", reply.unrestored)
        printUnrestored("duplicate ignored", reply.duplicates)
        for path in reply.gone { Terminal.print("deleted on purpose: \(path)") }
        for path in reply.expiring {
            Terminal.print(
                "expires soon: \(path): if the next launch does not restore it either, its state is "
                    + "moved to the history")
        }
        for path in reply.expired {
            Terminal.print(
                "no longer saved: \(path): too many launches did not restore it; `reprisectl --scene "
                    + "\(reply.scene) explain \(path)` identifies the generation that contains it"
            )
        }
        for sentence in reply.vanished {
            Terminal.print("removed by a command for another scene: \(sentence)")
        }
        printFound(reply.found)
        if reply.unlisted > 0 { Terminal.print("and \(reply.unlisted) more") }
        if reply.unclaimed > 0 {
            Terminal.print(
                "unclaimed: \(reply.unclaimed) of these remain saved, and the next launch tries again "
                    + "to restore them")
        }
        if reply.timedOut {
            Terminal.print(
                "its restoration was extended for too long, and the launch continued without the "
                    + "rest")
        }
        if reply.superfluousCompletions > 0 {
            Terminal.print(
                "its restoration was completed \(reply.superfluousCompletions) times without "
                    + "having been extended")
        }
    }

    private func printFound(_ foundObjects: [FoundDescription]) {
        let pathWidth = foundObjects.map(\.path.count).max() ?? 0
        let classWidth = foundObjects.map(\.class.count).max() ?? 0
        for object in foundObjects {
            let unreadKeyList = object.unreadKeys.joined(separator: ", ")
            Terminal.print(
                "\(object.path.padded(pathWidth))  \(object.class.padded(classWidth))  "
                    + object.foundBy.phrase
                    + (unreadKeyList.isEmpty ? "" : "; not read: \(unreadKeyList)"))
        }
    }

    private func printUnrestored(_ label: String, _ objects: [UnrestoredDescription]) {
        for object in objects {
            Terminal.print("\(label): \(object.path) (\(object.reason)): \(object.detail)")
            if let remedy = object.remedy { Terminal.print("  \(remedy)") }
        }
    }
}

extension FindingStep {
    /// Phrase that describes how an object was found.
    var phrase: String {
        switch self {
        case .restorationClass: "by its restoration class"
        case .delegate: "by the delegate"
        case .existing: "existed already"
        case .storyboard: "by its storyboard"
        }
    }
}

struct ExplainCommand: ControlCommand {
    static let abstract =
        "Explains why an object is or is not preserved, and why it was or was not restored."

    @OptionGroup var options: SceneScopeOptions

    @Argument(
        help: "The object's path, even if the object no longer exists.",
        completion: LiveCompletion.paths)
    var path: String

    func setParameters(in call: inout ExplainCall) { call.path = path }

    func present(_ reply: ExplainCall.Reply) {
        for sentence in reply.story { Terminal.print(sentence) }
    }
}
