import CControlInterface
import ExactText
package import Varlink

/// The Varlink interface `org.reprise.Control`.
package enum ControlInterface {
    /// Its name.
    package static let name = "org.reprise.Control"

    /// Its definition, as `GetInterfaceDescription` returns it.
    package static var text: String { String(cString: reprise_control_interface) }

    /// Its definition, parsed.
    ///
    /// - Throws: a syntax error, which is a fault of the program.
    package static func definition() throws -> InterfaceDefinition {
        try InterfaceDefinition(parsing: text)
    }
}

/// What goes over the wire: a call, a reply, or a part of one.
///
/// A field that may be left out is optional. The definition tells what each field means.
package protocol ControlMessage: Codable, Sendable {
    /// A message in which nothing is stated yet.
    init()
}

extension ControlMessage {
    /// A message whose fields a function states.
    package static func with(_ state: (inout Self) throws -> Void) rethrows -> Self {
        var message = Self()
        try state(&message)
        return message
    }
}

/// A call of one method: the type names the method, its fields are the parameters.
///
/// Client and server know a method by this type alone. A test compares all of them with the
/// definition.
package protocol ControlCall: ControlMessage {
    /// What the method answers.
    associatedtype Reply: Codable & Sendable

    /// Whether the method only looks, so that observers may call it.
    static var isLooking: Bool { get }
}

extension ControlCall {
    package static var isLooking: Bool { false }

    /// The method's name: `Rollback` for `RollbackCall`.
    package static var method: String { String("\(Self.self)".dropLast("Call".count)) }

    /// The method's name behind that of the interface.
    package static var qualifiedMethod: String { "\(ControlInterface.name).\(method)" }
}

/// A call that is about one application.
package protocol ApplicationCall: ControlCall {
    /// The application's bundle identifier; nil means the first configured one.
    var application: String? { get set }
}

/// A call that is about one scene.
package protocol SceneCall: ApplicationCall {
    /// The scene's name; nil means the application's first one, or all of them if the method can be
    /// about all.
    var scene: String? { get set }
}

/// How safe a change is.
package enum SaveLevel: String, Codable, Sendable, CaseIterable {
    case replicated
    case durable
    case written
    case no
}

/// A message that tells how safe a change is.
package protocol TellsSaved {
    /// How safe it is.
    var saved: SaveLevel { get set }
    /// Why it is not saved; nil if it is.
    var notSavedReason: String? { get set }
}

/// What every changing method answers.
package struct SavedReply: ControlMessage, TellsSaved {
    package var saved = SaveLevel.no
    package var notSavedReason: String?

    package init() {}
}

/// A call that changes something, and is answered when the change was saved.
package protocol ChangingCall: ControlCall where Reply == SavedReply {}

/// What a method answers that gives scenes another state.
package struct ReplacedReply: ControlMessage, TellsSaved {
    /// The scenes that were launched.
    package var scenes: [String] = []
    /// The path of the generation that keeps what was saved before.
    package var generation: String?
    package var saved = SaveLevel.no
    package var notSavedReason: String?

    package init() {}
}
