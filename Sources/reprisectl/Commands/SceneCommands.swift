import ArgumentParser
import RepriseControl

struct OpenCommand: NonrepeatableCommand {
    static let abstract = "Opens a new or saved scene."

    @OptionGroup var options: CallOptions<OpenCall>

    @Argument(help: "The scene's name.", completion: .closedScenes)
    var name: String

    var call: OpenCall { OpenCall(name: name) }
}

struct CloseCommand: ControlCommand {
    static let abstract = "Saves and closes a scene, which can be restored later with `open`."

    @OptionGroup var options: CallOptions<CloseCall>

    @Argument(help: "The scene's name.", completion: .openScenes)
    var name: String

    var call: CloseCall { CloseCall(name: name) }
}

struct PreserveCommand: MultiApplicationCommand {
    static let abstract =
        "Saves all objects of an application and waits until their state is durable."

    @OptionGroup var options: CallOptions<PreserveCall>
    @OptionGroup var applications: AllApplicationsOption
    var waitsForDurability: Bool { true }
}

extension PreserveCall: MultiApplicationCall {
    static let applicablePhases: Set<ApplicationPhase> = [.running, .launching]
}

struct ReportCommand: ControlCommand {
    static let usesPager = true
    static let abstract =
        "Shows what the last launch of a scene restored, and why it did not restore the rest."

    @OptionGroup var options: CallOptions<ReportCall>

    @Flag(help: "Also show how each object was found and which of its values were not read.")
    var all = false

    var call: ReportCall { ReportCall(all: all ? true : nil) }

    func present(_ reply: ReportCall.Reply) {
        Terminal.print(
            "scene \(reply.scene): launched with reason \(reply.launchReason), "
                + "\(reply.restored) of \(reply.recorded) objects restored")
        if let crashDescription = reply.precedingDeath { Terminal.print(crashDescription) }
        if reply.refused { Terminal.print("the application refused its saved state") }
        if let displacementReason = reply.displaced {
            Terminal.print("the saved state was not restored: \(displacementReason)")
        }
        for object in reply.unrestored { object.print("not restored") }
        for object in reply.duplicates { object.print("duplicate ignored") }
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
        let rows = foundObjects.map { object in
            let unreadKeyList = object.unreadKeys.joined(separator: ", ")
            let unreadSuffix = unreadKeyList.isEmpty ? "" : "; not read: \(unreadKeyList)"
            return [object.path, object.class, object.foundBy.phrase + unreadSuffix]
        }
        for line in Table.alignedLines(rows) { Terminal.print(line) }
    }
}

extension UnrestoredDescription {
    /// Prints the object, the reason and the remedy.
    func print(_ label: String, indent: String = "") {
        Terminal.print("\(indent)\(label): \(path) (\(reason)): \(detail)")
        if let remedy { Terminal.print("\(indent)  \(remedy)") }
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

    @OptionGroup var options: CallOptions<ExplainCall>

    @Argument(help: "The object's path, even if the object no longer exists.", completion: .paths)
    var path: String

    var call: ExplainCall { ExplainCall(path: path) }

    func present(_ reply: ExplainCall.Reply) {
        for sentence in reply.story { Terminal.print(sentence) }
    }
}
