import ExactText
import Glibc
package import LinuxIO

/// Secret tokens with an expiration time and a grant, stored as files in a directory that only its owner can read.
///
/// Several processes can use the same directory, so that a command can issue a token that a server accepts. The name of
/// a file is public, and its content is secret.
package struct TokenStore: Sendable {
    /// Token without its secret.
    package struct Token: Sendable, Equatable {
        /// Name of the file.
        package let identifier: String
        package let grant: SessionGrant
        /// Time at which the token expires, in seconds since 1970-01-01 UTC.
        package let expiration: Int64
    }

    /// Maximum number of tokens.
    ///
    /// Once it is reached, no token is issued until others have expired or have been removed.
    package static let maximumTokens = 1000
    private static let nameBytes = 8
    private static let secretBytes = 24

    /// Maximum clock error that is tolerated when a token is read.
    private static let clockTolerance = Duration.seconds(600)

    private let directory: Directory
    /// Maximum lifetime of a token.
    private let maximumLifetime: Duration
    private let now: @Sendable () -> Int64

    /// Creates the store of a directory.
    ///
    /// - Parameters:
    ///   - maximumLifetime: The maximum lifetime of a token.
    ///   - now: A closure that returns the time in seconds since 1970-01-01 UTC.
    package init(
        in directory: Directory, maximumLifetime: Duration,
        now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        self.directory = directory
        self.maximumLifetime = maximumLifetime
        self.now = now
    }

    /// Issues a durable token after deleting expired tokens.
    ///
    /// - Returns: The token with its secret, or `nil` if the maximum number of tokens has been reached.
    package func issue(_ grant: SessionGrant, validFor lifetime: Duration) throws(IOError)
        -> String?
    {
        var count = 0
        for name in try directory.names() where Self.isIdentifier(name) {
            // A token that seems to be valid for too long may be valid after the clock has been corrected.
            if let token = try readToken(name)?.token, token.expiration > now() {
                count += 1
            } else {
                try directory.remove(name)
            }
        }
        guard count < Self.maximumTokens else { return nil }
        let name = Self.randomDigits(bytes: Self.nameBytes)
        let secret = Self.randomDigits(bytes: Self.secretBytes)
        let expiration = now() + lifetime.components.seconds
        let content =
            "\(secret) \(expiration) \(grant.role.rawValue) \(grant.lifetime.components.seconds)"
        // Another process must not find an incomplete file, which it would delete.
        _ = try directory.replace(name, with: Array(content.utf8), temporaryName: "\(name).new")
        return name + secret
    }

    /// Returns the token with this secret, or `nil` if it was not issued, has expired or was removed.
    package func token(_ text: String) throws(IOError) -> Token? {
        let nameLength = 2 * Self.nameBytes
        guard text.utf8.count == nameLength + 2 * Self.secretBytes, Self.isHexadecimal(text),
            let (token, secret) = try readToken(String(text.prefix(nameLength))), isValid(token)
        else { return nil }
        // The duration of the comparison does not depend on the position of the first difference.
        let difference = zip(secret.utf8, text.utf8.dropFirst(nameLength))
            .reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 }
        return difference == 0 ? token : nil
    }

    /// Returns the token with this public name, or `nil` if it was not issued, has expired or was removed.
    package func token(named identifier: String) throws(IOError) -> Token? {
        guard Self.isIdentifier(identifier), let token = try readToken(identifier)?.token,
            isValid(token)
        else { return nil }
        return token
    }

    /// Returns the tokens that have not expired, beginning with the one that expires first.
    package func tokens() throws(IOError) -> [Token] {
        var tokens: [Token] = []
        for name in try directory.names() {
            if let token = try token(named: name) { tokens.append(token) }
        }
        return tokens.sorted { $0.expiration < $1.expiration }
    }

    /// Removes a token.
    ///
    /// - Returns: Whether the token existed. If several processes remove a token at once, only one of them succeeds.
    @discardableResult
    package func remove(_ identifier: String) throws(IOError) -> Bool {
        guard Self.isIdentifier(identifier), try directory.remove(identifier) else { return false }
        try directory.synchronize()
        return true
    }

    /// Returns a token and its secret, even if the token has expired. Returns `nil` if there is no such token.
    private func readToken(_ name: String) throws(IOError) -> (token: Token, secret: String)? {
        guard let content = try directory.read(name, limit: 256) else { return nil }
        let words = String(decoding: content, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 4, words[0].utf8.count == 2 * Self.secretBytes,
            let expiration = Int64(words[1]),
            let role = Session.Role(rawValue: words[2]), let seconds = Int64(words[3]),
            let grant = SessionGrant(role: role, lifetime: .seconds(seconds))
        else { return nil }
        return (Token(identifier: name, grant: grant, expiration: expiration), words[0])
    }

    /// Returns whether a token has not expired, and its remaining lifetime does not exceed the maximum.
    private func isValid(_ token: Token) -> Bool {
        let (seconds, overflow) = token.expiration.subtractingReportingOverflow(now())
        let maximum = maximumLifetime + Self.clockTolerance
        return !overflow && seconds > 0 && seconds <= maximum.components.seconds
    }

    private static func isIdentifier(_ name: String) -> Bool {
        name.utf8.count == 2 * nameBytes && isHexadecimal(name)
    }

    private static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func randomDigits(bytes: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<bytes).map { _ in
            let byte = UInt8.random(in: 0 ... .max, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
