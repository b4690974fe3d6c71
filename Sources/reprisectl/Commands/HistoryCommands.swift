import ArgumentParser
import RepriseControl

/// `reprisectl history`.
struct HistoryCommand: ControlCommand {
    typealias Call = HistoryCall

    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Lists what an application had saved at earlier times.",
        discussion: """
            `reprisectl diff` compares one of them with another, or with what is saved now; \
            `reprisectl inspect` tells what the file of one holds.
            """)

    @OptionGroup var options: ApplicationScope

    func present(_ reply: Call.Reply) {
        if reply.generations.isEmpty { Terminal.print("nothing is in the history") }
        for generation in reply.generations {
            let versions = generation.bundleVersions.joined(separator: ", ")
            Terminal.print(
                "\(generation.name)  \(generation.time), "
                    + "\(count(generation.objects, "object")), \(count(generation.bytes, "byte"))"
                    + (versions.isEmpty ? "" : ", saved by version \(versions)"))
            if let reason = generation.reason { Terminal.print("  because \(reason)") }
            if let problem = generation.problem { Terminal.print("  \(problem)") }
            Terminal.print("  \(generation.path)")
        }
    }
}

/// `reprisectl rollback`.
struct RollbackCommand: ControlCommand {
    typealias Call = RollbackCall

    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Goes back to an earlier state, while the application runs.",
        discussion: """
            What is saved and live now is kept in the history before. Without --scene all scenes of the \
            application go back; those that did not exist then end, or are launched without state if \
            they are configured. The model data stays as it is.
            """)
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Argument(help: "The number of a generation, as `reprisectl history` lists it.")
    var generation: String

    func state(in call: inout Call) { call.generation = generation }

    func present(_ reply: Call.Reply) { reply.present("went back") }
}

extension ReplacedReply {
    /// - Parameter verb: what the scenes did.
    func present(_ verb: String) {
        Terminal.print(scenes.isEmpty ? "\(verb)" : "\(verb): \(scenes.joined(separator: " "))")
        if let generation { Terminal.print("what was saved before is kept as \(generation)") }
        presentSaved()
    }
}

/// `reprisectl reset`.
struct ResetCommand: ControlCommand {
    typealias Call = ResetCall

    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Forgets what is saved, and launches afresh.",
        discussion: """
            What is saved and live now is kept in the history before. Without --scene the whole \
            application is reset. The model data stays as it is.
            """)
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Flag(help: "Forget nothing: launch again from what is saved, as a restart would.")
    var toSaved = false

    func state(in call: inout Call) { call.toSaved = toSaved ? true : nil }

    func present(_ reply: Call.Reply) {
        let afresh = reply.scenes.isEmpty ? "reset" : "launched afresh"
        reply.present(toSaved ? "launched again" : afresh)
    }
}
