/// What a handler knows of a call beside its parameters.
package struct CallContext: Sendable {
    /// Who calls.
    package let peer: Peer

    /// The fully qualified method.
    package let method: String

    /// Whether the caller waits for no reply.
    package let oneway: Bool

    /// A context, for example to call a handler in a test.
    package init(peer: Peer, method: String, oneway: Bool = false) {
        self.peer = peer
        self.method = method
        self.oneway = oneway
    }
}
