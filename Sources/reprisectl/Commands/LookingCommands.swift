import ArgumentParser
import RepriseControl

/// `reprisectl list`.
struct ListCommand: ControlCommand {
    typealias Call = ListCall

    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the applications and their scenes.")

    @OptionGroup var options: DaemonScope

    func present(_ reply: Call.Reply) {
        for application in reply.applications {
            let scenes = application.scenes.map { scene in
                scene.phase == .running ? scene.name : "\(scene.name) (\(scene.phase.rawValue))"
            }
            Terminal.print(
                "\(application.bundleIdentifier)  \(application.phase.rawValue)  "
                    + scenes.joined(separator: " "))
        }
    }
}

/// `reprisectl show`.
struct ShowCommand: ControlCommand {
    typealias Call = ShowCall

    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Draws the scene as text: what a person would see.")

    @OptionGroup var options: SceneScope

    func present(_ reply: Call.Reply) {
        Terminal.write(reply.text)
    }
}

/// `reprisectl tree`.
struct TreeCommand: ControlCommand {
    typealias Call = TreeCall

    static let configuration = CommandConfiguration(
        commandName: "tree",
        abstract: "Shows every object: its path, its class, and whether it is preserved.")

    @OptionGroup var options: SceneScope

    func present(_ reply: Call.Reply) {
        let paths = reply.objects.map(\.path.count).max() ?? 0
        let classes = reply.objects.map(\.class.count).max() ?? 0
        for object in reply.objects {
            let story = object.preserved ? "preserved" : "not preserved: \(object.reason ?? "")"
            Terminal.print(
                "\(filled(object.path, paths))  \(filled(object.class, classes))  \(story)")
        }
    }

    private func filled(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}

/// `reprisectl get`.
struct GetCommand: ControlCommand {
    typealias Call = GetCall

    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Tells one object's state, or one value of it.")

    @OptionGroup var options: SceneScope

    @Argument(help: "The object's path.")
    var path: String

    @Argument(help: "The value's key; without it all values are told.")
    var key: String?

    func state(in call: inout Call) {
        call.path = path
        call.key = key
    }

    func present(_ reply: Call.Reply) {
        if let value = reply.value { Terminal.print(value.line) }
        for (key, value) in (reply.values ?? [:]).sorted(by: { $0.key < $1.key }) {
            Terminal.print("\(key): \(value.line)")
        }
    }
}

/// `reprisectl report`.
struct ReportCommand: ControlCommand {
    typealias Call = ReportCall

    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Tells what the last launch of a scene restored, what it did not, and why.")

    @OptionGroup var options: SceneScope

    func present(_ reply: Call.Reply) {
        Terminal.print(
            "scene \(reply.scene): launched with reason \(reply.launchReason), "
                + "\(reply.restored) of \(reply.recorded) objects restored")
        if reply.refused { Terminal.print("the application refused its saved state") }
        tell("not restored", reply.unrestored)
        tell("another left aside", reply.duplicates)
        for path in reply.expired {
            Terminal.print("no longer saved: \(path): too many launches could not place it")
        }
        if reply.unlisted > 0 { Terminal.print("and \(reply.unlisted) more") }
        if reply.unclaimed > 0 {
            Terminal.print(
                "unclaimed: \(reply.unclaimed) of these stay saved, and are offered to the next "
                    + "launch")
        }
        if reply.timedOut {
            Terminal.print(
                "its restoration was extended for too long, and went on without the rest")
        }
        if reply.superfluousCompletions > 0 {
            Terminal.print(
                "its restoration was completed \(reply.superfluousCompletions) times without "
                    + "having been extended")
        }
    }

    private func tell(_ what: String, _ objects: [UnrestoredDescription]) {
        for object in objects {
            Terminal.print("\(what): \(object.path) (\(object.reason)): \(object.detail)")
        }
    }
}

/// `reprisectl explain`.
struct ExplainCommand: ControlCommand {
    typealias Call = ExplainCall

    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tells one object's story: is it preserved, was it restored, and if not, why.")

    @OptionGroup var options: SceneScope

    @Argument(help: "The object's path; also of one that was saved and is not there now.")
    var path: String

    func state(in call: inout Call) { call.path = path }

    func present(_ reply: Call.Reply) {
        for sentence in reply.story { Terminal.print(sentence) }
    }
}
