import Glibc
package import LinuxIO

/// Login links and sessions of a server.
///
/// They are stored as files, so that a server and commands can share them without a protocol. Sessions survive a
/// restart of the server.
package struct SessionStore: Sendable {
    /// Time within which a login link can be used.
    package static let linkLifetime = Duration.seconds(600)

    private static let linksName = "logins"
    private static let sessionsName = "sessions"
    private static let originName = "origin"
    /// Maximum size of the file that contains the origin, in bytes.
    private static let maximumOriginBytes = 1024

    private let directory: Directory
    private let links: TokenStore
    private let sessions: TokenStore

    /// Opens the store of a server, creating it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The path of the directory.
    ///   - now: A closure that returns the time in seconds since 1970-01-01 UTC.
    package init(
        path: String, now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) throws(IOError) {
        self.init(
            directory: try .openOrCreate(path),
            links: try .openOrCreate("\(path)/\(Self.linksName)"),
            sessions: try .openOrCreate("\(path)/\(Self.sessionsName)"), now: now)
    }

    /// Opens the store of a server, or returns `nil` if no server has created it.
    package init?(
        existingPath path: String, now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) throws(IOError) {
        guard let directory = try Directory.open(path),
            let links = try Directory.open("\(path)/\(Self.linksName)"),
            let sessions = try Directory.open("\(path)/\(Self.sessionsName)")
        else { return nil }
        self.init(directory: directory, links: links, sessions: sessions, now: now)
    }

    private init(
        directory: Directory, links: Directory, sessions: Directory,
        now: @escaping @Sendable () -> Int64
    ) {
        self.directory = directory
        self.links = TokenStore(in: links, maximumLifetime: Self.linkLifetime, now: now)
        self.sessions = TokenStore(
            in: sessions, maximumLifetime: SessionGrant.lifetimes.upperBound, now: now)
    }

    /// Records the origin of the server, for the command that creates login links.
    package func record(_ origin: PublicOrigin?) throws(IOError) {
        if let origin {
            _ = try directory.replace(
                Self.originName, with: Array("\(origin)".utf8),
                temporaryName: "\(Self.originName).new")
        } else if try directory.remove(Self.originName) {
            try directory.synchronize()
        }
    }

    /// Returns the origin that the server has recorded, or `nil` if there is none or it is not valid.
    package func publicOrigin() throws(IOError) -> PublicOrigin? {
        try directory.read(Self.originName, limit: Self.maximumOriginBytes).flatMap {
            try? PublicOrigin(String(decoding: $0, as: UTF8.self))
        }
    }

    /// Returns the secret of a new login link, or `nil` if there are too many links.
    package func makeLink(_ grant: SessionGrant) throws(IOError) -> String? {
        try links.issue(grant, validFor: Self.linkLifetime)
    }

    /// Starts a session with a login link, which cannot be used again.
    ///
    /// - Returns: The secret of the session, or `nil` if the link is not valid or there are too many sessions.
    package func logIn(with secret: String) throws(IOError) -> String? {
        guard let link = try links.token(secret),
            let session = try sessions.issue(link.grant, validFor: link.grant.lifetime)
        else { return nil }
        // The session exists before the link is removed, so `revokeAll()` finds at least one of them.
        guard try links.remove(link.identifier) else {
            if let session = try sessions.token(session) { try sessions.remove(session.identifier) }
            return nil
        }
        return session
    }

    /// Returns the session with this secret, or `nil` if it has expired or was revoked.
    package func session(_ secret: String) throws(IOError) -> Session? {
        try sessions.token(secret).map(Session.init)
    }

    /// Returns whether a session has neither expired nor been revoked.
    package func isValid(_ session: Session) throws(IOError) -> Bool {
        try sessions.token(named: session.identifier) != nil
    }

    /// Returns the sessions, beginning with the one that ends first.
    package func validSessions() throws(IOError) -> [Session] {
        try sessions.tokens().map(Session.init)
    }

    /// Returns the login links that can still be used, beginning with the one that expires first.
    package func unusedLinks() throws(IOError) -> [TokenStore.Token] { try links.tokens() }

    /// Ends a session or invalidates a login link.
    ///
    /// - Returns: Whether there was such a session or link.
    package func revoke(_ identifier: String) throws(IOError) -> Bool {
        let isLink = try links.remove(identifier)
        return try sessions.remove(identifier) || isLink
    }

    /// Ends all sessions and invalidates all login links.
    ///
    /// - Returns: The numbers of sessions and links.
    package func revokeAll() throws(IOError) -> (sessions: Int, links: Int) {
        var counts = (sessions: 0, links: 0)
        for link in try links.tokens() where try links.remove(link.identifier) { counts.links += 1 }
        for session in try sessions.tokens() where try sessions.remove(session.identifier) {
            counts.sessions += 1
        }
        return counts
    }
}

extension Session {
    fileprivate init(_ token: TokenStore.Token) {
        self.init(
            identifier: token.identifier, role: token.grant.role, expiration: token.expiration)
    }
}
