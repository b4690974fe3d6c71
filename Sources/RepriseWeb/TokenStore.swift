import Glibc
package import LinuxIO

/// Secret tokens with an expiration time, stored as files in a directory that only its owner can read.
///
/// Several processes can use the same directory, so that a command can issue a token that a server accepts. The name of
/// a file is public, and its content is secret.
package struct TokenStore: Sendable {
    /// Maximum number of tokens.
    ///
    /// Once it is reached, no token is issued until others have expired.
    package static let maximumTokens = 1000
    private static let nameBytes = 8
    private static let secretBytes = 24

    private let directory: Directory
    private let lifetime: Int64
    private let now: @Sendable () -> Int64

    /// Opens a directory, creating it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The path of the directory.
    ///   - lifetime: The number of seconds for which a token is valid.
    ///   - now: A closure that returns the time in seconds since 1970-01-01 UTC.
    package init(
        path: String, lifetime: Int64, now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) throws(IOError) {
        directory = try .openOrCreate(path)
        self.lifetime = lifetime
        self.now = now
    }

    /// Issues a token after deleting expired tokens.
    ///
    /// - Returns: The token, or `nil` if the maximum number of tokens has been reached.
    package func issue() throws(IOError) -> String? {
        var count = 0
        for name in try directory.names() where name.utf8.count == 2 * Self.nameBytes {
            if try readToken(name) == nil { try directory.remove(name) } else { count += 1 }
        }
        guard count < Self.maximumTokens else { return nil }
        let name = Self.randomDigits(bytes: Self.nameBytes)
        let secret = Self.randomDigits(bytes: Self.secretBytes)
        // Another process must not find an incomplete file, which it would delete.
        let temporaryName = "\(name).new"
        try directory.createFile(temporaryName).write(
            Array("\(secret) \(now() + lifetime)".utf8))
        try directory.rename(temporaryName, to: name)
        return name + secret
    }

    /// Returns whether a token has been issued and has not expired.
    package func accepts(_ token: String) throws(IOError) -> Bool {
        guard token.utf8.count == 2 * (Self.nameBytes + Self.secretBytes),
            token.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let secret = try readToken(String(token.prefix(2 * Self.nameBytes)))
        else { return false }
        // The duration of the comparison does not depend on the position of the first difference.
        return zip(secret, token.utf8.dropFirst(2 * Self.nameBytes))
            .reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }

    /// Deletes a token.
    ///
    /// - Returns: Whether the token was valid. If several processes redeem a token at once, only one of them succeeds.
    package func redeem(_ token: String) throws(IOError) -> Bool {
        guard try accepts(token) else { return false }
        return try directory.remove(String(token.prefix(2 * Self.nameBytes)))
    }

    /// Returns the secret of a token, or `nil` if there is no such token or it has expired.
    private func readToken(_ name: String) throws(IOError) -> [UInt8]? {
        let secretLength = 2 * Self.secretBytes
        guard let content = try directory.read(name, limit: 256), content.count > secretLength,
            let expiration = Int64(String(decoding: content[(secretLength + 1)...], as: UTF8.self)),
            now() < expiration
        else { return nil }
        return Array(content[..<secretLength])
    }

    private static func randomDigits(bytes: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<bytes).map { _ in
            let byte = UInt8.random(in: 0 ... .max, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
