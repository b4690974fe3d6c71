import ExactText
package import Varlink

// Protocols for messages with common fields, and limits for messages. The interface definition language can express
// neither.

/// Call that applies to one application.
package protocol ApplicationCall: MethodCall {
    /// Bundle identifier of the application, or `nil` for the first configured application.
    var application: String? { get set }
}

/// Call that applies to one scene.
package protocol SceneCall: ApplicationCall {
    /// Name of the scene, or `nil` for the application's first scene.
    ///
    /// If the method can apply to all scenes, `nil` means all scenes.
    var scene: String? { get set }
}

/// Call that operates a scene as a user would.
package protocol OperationCall: SceneCall {
    /// Identifier of the operation, or `nil` to perform the operation each time the daemon receives the call.
    ///
    /// The daemon performs an operation with an identifier at most once.
    var operation: OperationIdentifier? { get set }
}

/// Message that contains the durability level of a change.
package protocol SaveOutcome: JSONMessage {
    /// Durability level of the change.
    var saved: SaveLevel { get set }
    /// Reason why the change is not saved, or `nil` if it is saved.
    var notSavedReason: String? { get set }
}

/// Reply to a call that replaces the state of one or more scenes.
package protocol ReplacementReply: SaveOutcome {
    /// Names of the scenes that were launched.
    var scenes: [String] { get set }
    /// Path of the generation with the previous saved state, or `nil` if no state had been saved.
    var generation: String? { get set }
}

extension BackupCall {
    /// Maximum number of file bytes in one reply.
    package static let maximumChunkBytes = 48 << 10
}

extension HistoryCall {
    /// Maximum number of generations in a reply.
    package static let maximumGenerations = 1000
}

extension TextRange {
    /// Creates a range of characters.
    package init(_ range: Range<Int>) {
        self.init(lowerBound: range.lowerBound, upperBound: range.upperBound)
    }

    /// Swift range with the same bounds, or `nil` if the upper bound is less than the lower bound.
    package var range: Range<Int>? {
        lowerBound <= upperBound ? lowerBound..<upperBound : nil
    }
}

extension OperationIdentifier {
    /// Maximum length of a client's identifier, in bytes.
    package static let maximumClientBytes = 64

    /// Whether the identifier and the number are valid.
    package var isValid: Bool {
        number > 0 && Self.isValid(client: client)
    }

    /// Returns whether a client's identifier consists of 1 to 64 printable ASCII characters and contains no spaces.
    package static func isValid(client: String) -> Bool {
        (1...maximumClientBytes).contains(client.utf8.count)
            && client.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

/// Digest that a client and the daemon use to check whether they have the same text.
package enum TextDigest {
    /// Returns the number of UTF-8 bytes, a hyphen, and the 32-bit FNV-1a hash of these bytes in hexadecimal.
    package static func digest(of text: String) -> String {
        var hash: UInt32 = 0x811c_9dc5
        var text = text
        text.withUTF8 { bytes in
            for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        }
        let digits = String(hash, radix: 16)
        return "\(text.utf8.count)-" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension CommandDescription {
    /// Signature of the command, such as `retry(job: int) -> string`.
    package var signature: String {
        let parameters = parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
        return "\(name)(\(parameters))\(result.map { " -> \($0)" } ?? "")"
    }
}
