import ArgumentParser
import RepriseControl

/// `reprisectl history`.
struct HistoryCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Lists what an application had saved at earlier times.",
        discussion: """
            `reprisectl diff` compares one of them with another, or with what is saved now; \
            `reprisectl inspect` tells what the file of one holds.
            """)
    static let method = ControlMethod.history

    @OptionGroup var options: ApplicationScope

    var parameters: ApplicationParameters {
        ApplicationParameters(application: options.application)
    }

    func present(_ answer: HistoryReply) {
        if answer.generations.isEmpty { Terminal.print("nothing is in the history") }
        for generation in answer.generations {
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
