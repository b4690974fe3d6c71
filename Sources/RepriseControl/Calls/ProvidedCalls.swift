import ExactText

/// Call that returns the commands that an object provides.
package struct CommandsCall: SceneCall {
    package static var isLooking: Bool { true }

    package var application: String?
    package var scene: String?
    package var path = ""
    /// Whether controllers on the way to the object load their views, as with `Call`.
    package var load: Bool?

    package init() {}

    /// Commands of the object.
    package struct Reply: ControlMessage {
        package var commands: [CommandDescription] = []

        package init() {}
    }
}

/// Command that an object provides.
package struct CommandDescription: ControlMessage {
    package var name = ""
    package var summary = ""
    package var parameters: [CommandParameter] = []
    /// Type of the result in Varlink's notation, or `nil` if the command has no result.
    package var result: String?

    package init() {}
}

extension CommandDescription {
    /// Signature of the command, such as `retry(job: int) -> string`.
    package var signature: String {
        let parameters = parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
        return "\(name)(\(parameters))\(result.map { " -> \($0)" } ?? "")"
    }
}

/// Parameter of a command.
package struct CommandParameter: ControlMessage {
    package var name = ""
    package var summary = ""
    /// Type of the parameter in Varlink's notation, such as `?int`.
    package var type = ""

    package init() {}
}

/// Call to run a command that an object provides.
package struct CallCall: SceneCall {
    package var application: String?
    package var scene: String?
    package var path = ""
    package var command = ""
    package var arguments: [String: StateJSON]?

    package init() {}

    /// Result of the command, with the durability level of its changes.
    package struct Reply: ControlMessage, TellsSaved {
        package var result: StateJSON?
        package var saved = SaveLevel.no
        package var notSavedReason: String?

        package init() {}
    }
}
