import ArgumentParser
import RepriseControl

/// `reprisectl diff`.
struct DiffCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Tells in what an earlier state differs from a later one, value by value.",
        discussion: """
            What only the first state has stands behind a -, what only the second has behind a +. \
            `reprisectl history` lists the earlier states.
            """)
    static let method = ControlMethod.diff

    @OptionGroup var options: ApplicationScope

    @Argument(help: "The number of the first state, as `reprisectl history` lists it.")
    var from: String

    @Argument(help: "The number of the second state; without it what is saved now.")
    var to: String?

    var parameters: DiffParameters {
        DiffParameters(application: options.application, from: from, to: to)
    }

    func present(_ answer: DiffReply) {
        for problem in answer.problems { Terminal.complain(problem) }
        if answer.differences.isEmpty, answer.unlisted == 0 {
            let second = answer.to.map { "and \($0)" } ?? "and what is saved now"
            Terminal.print("\(answer.from) \(second) are equal")
        }
        var text = DifferenceText()
        for difference in answer.differences { text.print(difference) }
        if answer.unlisted > 0 { Terminal.print("and \(answer.unlisted) more") }
    }
}
