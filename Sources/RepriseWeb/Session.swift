import ExactText

/// Permission for a browser to display scenes. It is valid until it expires or is revoked.
package struct Session: Sendable, Equatable {
    /// Actions that a session permits.
    package enum Role: String, Sendable {
        /// Displays scenes and performs the operations of a user.
        case user
        /// Displays scenes, but performs no operations.
        case observer
    }

    /// Public name, with which the session can be revoked.
    package let identifier: String
    package let role: Role
    /// Time at which the session ends, in seconds since 1970-01-01 UTC.
    package let expiration: Int64
}

/// Role and lifetime of the session that a login link starts.
package struct SessionGrant: Sendable, Equatable {
    /// Permitted lifetimes.
    package static let lifetimes = Duration.seconds(60)...Duration.seconds(30 * 24 * 3600)
    /// Lifetime of a session if none is specified.
    package static let defaultLifetime = Duration.seconds(12 * 3600)

    package let role: Session.Role
    /// Time from the login until the session ends.
    package let lifetime: Duration

    /// Grant for a user session with the default lifetime.
    package static let ordinary = SessionGrant()

    private init() {
        role = .user
        lifetime = Self.defaultLifetime
    }

    /// Creates a grant, or returns `nil` if the lifetime is not in ``lifetimes``.
    package init?(role: Session.Role, lifetime: Duration) {
        guard Self.lifetimes.contains(lifetime) else { return nil }
        self.role = role
        self.lifetime = lifetime
    }
}
