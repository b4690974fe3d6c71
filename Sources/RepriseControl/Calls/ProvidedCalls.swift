import ExactText

/// Asks for the commands that an object provides.
package struct CommandsCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    package var path = ""
    /// Whether views are loaded for it, as `Call` does.
    package var load: Bool?

    package init() {}

    /// Those that there are.
    package struct Reply: ControlMessage {
        package var commands: [CommandDescription] = []

        package init() {}
    }
}

/// A command that an object provides.
package struct CommandDescription: ControlMessage {
    package var name = ""
    package var summary = ""
    package var parameters: [CommandParameter] = []
    /// The type of its result, as the Varlink specification writes it; nil: it has none.
    package var result: String?

    package init() {}
}

extension CommandDescription {
    /// The command as a person writes it down: `retry(job: int) -> string`.
    package var signature: String {
        let parameters = parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
        return "\(name)(\(parameters))\(result.map { " -> \($0)" } ?? "")"
    }
}

/// What a command is given.
package struct CommandParameter: ControlMessage {
    package var name = ""
    package var summary = ""
    /// Its type, as the Varlink specification writes it: `?int`.
    package var type = ""

    package init() {}
}

/// Has an object carry out a command that it provides.
package struct CallCall: SceneCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var command = ""
    package var arguments: [String: StateJSON]?

    package init() {}

    /// What came of it.
    package struct Reply: ControlMessage, TellsSaved {
        package var result: StateJSON?
        package var saved = SaveLevel.no
        package var notSavedReason: String?

        package init() {}
    }
}
