import ArgumentParser
import RepriseControl

/// `reprisectl preserve`.
struct PreserveCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "preserve",
        abstract: "Saves everything of an application, and waits until it is durable.")
    static let method = ControlMethod.preserve

    @OptionGroup var options: ApplicationScope

    var parameters: ApplicationParameters {
        ApplicationParameters(application: options.application)
    }
}
