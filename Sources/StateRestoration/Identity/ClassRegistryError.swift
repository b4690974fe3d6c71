/// Class names that cannot be recorded, or that would lead to more than one class (P13).
public struct ClassRegistryError: Error, Equatable, CustomStringConvertible {
    /// What is wrong with one name. Types are told by their qualified names.
    public enum Problem: Sendable, Equatable {
        /// Two types claim the name, as their own or as an alias.
        case claimedTwice(token: String, first: String, second: String)
        /// The name has no bytes.
        case emptyToken(type: String)
        /// The name has more than ``ClassRegistryError/maximumTokenBytes``.
        case tokenTooLong(token: String, type: String, bytes: Int)
        /// The name has a `/` or a control character.
        case forbiddenCharacter(token: String, type: String)
    }

    /// The most bytes that a class name has.
    public static let maximumTokenBytes = 255

    /// Everything that is wrong.
    public let problems: [Problem]

    /// A sentence for each problem, naming the types and saying what to do.
    public var description: String {
        problems.map(\.description).joined(separator: "; ")
    }
}

extension ClassRegistryError.Problem: CustomStringConvertible {
    /// What is wrong with a name by itself; nil: nothing.
    init?(token: String, of type: @autoclosure () -> String) {
        if token.isEmpty {
            self = .emptyToken(type: type())
        } else if token.utf8.count > ClassRegistryError.maximumTokenBytes {
            self = .tokenTooLong(token: token, type: type(), bytes: token.utf8.count)
        } else if token.unicodeScalars.contains(where: {
            $0 == "/" || $0.properties.generalCategory == .control
        }) {
            self = .forbiddenCharacter(token: token, type: type())
        } else {
            return nil
        }
    }

    /// One sentence.
    public var description: String {
        switch self {
        case .claimedTwice(let token, let first, let second):
            "\(first) and \(second) both claim the class name \"\(shown(token))\": "
                + "register one of them under another name"
        case .emptyToken(let type):
            "\(type) is registered under an empty class name: leave it out, or write 1 to "
                + "\(ClassRegistryError.maximumTokenBytes) bytes"
        case .tokenTooLong(let token, let type, let bytes):
            "\(type) is registered under a class name of \(bytes) bytes "
                + "(\"\(shown(token).prefix(32))…\"): at most "
                + "\(ClassRegistryError.maximumTokenBytes) are allowed"
        case .forbiddenCharacter(let token, let type):
            "\(type) is registered under the class name \"\(shown(token))\": "
                + "write it without / and control characters"
        }
    }

    private func shown(_ token: String) -> String {
        token.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
    }
}
