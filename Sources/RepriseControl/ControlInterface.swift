import CControlInterface
import ExactText
package import Varlink

/// Varlink interface `org.reprise.Control`.
package enum ControlInterface {
    /// Name of the interface.
    package static let name = "org.reprise.Control"

    /// Definition of the interface, as `GetInterfaceDescription` returns it.
    package static var text: String { String(cString: reprise_control_interface) }

    /// Returns the parsed definition of the interface.
    ///
    /// - Throws: A syntax error, which indicates a programming error.
    package static func definition() throws -> InterfaceDefinition {
        try InterfaceDefinition(parsing: text)
    }
}

/// Message of the protocol: a call, a reply, or a part of either.
///
/// Optional fields may be omitted from the message. The interface definition describes each field.
package protocol ControlMessage: Codable, Sendable {
    /// Creates a message whose fields have their default values.
    init()
}

extension ControlMessage {
    /// Creates a message and sets its fields in a closure.
    package static func with(_ state: (inout Self) -> Void) -> Self {
        var message = Self()
        state(&message)
        return message
    }
}

/// Call of a method. The name of the type is the name of the method, and its fields are the parameters.
///
/// Clients and servers identify a method only by this type. A test compares all calls with the interface definition.
package protocol ControlCall: ControlMessage {
    /// Reply to the call.
    associatedtype Reply: Codable & Sendable

    /// Whether the method is read-only, so that clients with read-only access may call it.
    static var isLooking: Bool { get }
}

extension ControlCall {
    package static var isLooking: Bool { false }

    /// Name of the method: `Rollback` for `RollbackCall`.
    package static var method: String { String("\(Self.self)".dropLast("Call".count)) }

    /// Fully qualified name of the method.
    package static var qualifiedMethod: String { "\(ControlInterface.name).\(method)" }
}

/// Call that applies to one application.
package protocol ApplicationCall: ControlCall {
    /// Bundle identifier of the application, or `nil` for the first configured application.
    var application: String? { get set }
}

/// Call that applies to one scene.
package protocol SceneCall: ApplicationCall {
    /// Name of the scene, or `nil` for the first scene of the application. If the method can apply to all scenes,
    /// `nil` means all of them.
    var scene: String? { get set }
}

/// Durability level of a change.
package enum SaveLevel: String, Codable, Sendable, CaseIterable {
    case replicated
    case durable
    case written
    case no
}

/// Message with the durability level of a change.
package protocol TellsSaved {
    /// Durability level of the change.
    var saved: SaveLevel { get set }
    /// Reason why the change is not saved, or `nil` if it is saved.
    var notSavedReason: String? { get set }
}

/// Reply to a call that changes something.
package struct SavedReply: ControlMessage, TellsSaved {
    package var saved = SaveLevel.no
    package var notSavedReason: String?

    package init() {}
}

/// Call that changes something. The daemon replies after it has saved the change.
package protocol ChangingCall: ControlCall where Reply == SavedReply {}

/// Reply to a call that replaces the state of scenes.
package struct ReplacedReply: ControlMessage, TellsSaved {
    /// Names of the scenes that were launched.
    package var scenes: [String] = []
    /// Path of the generation with the previous saved state, or `nil` if no state was saved.
    package var generation: String?
    package var saved = SaveLevel.no
    package var notSavedReason: String?

    package init() {}
}
