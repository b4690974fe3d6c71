public import NIOCore
import Synchronization
public import Varlink

/// What a connection has done so far.
public struct ClientReport: Sendable {
    /// Who is at its other end.
    public let peer: Peer
    /// When it was accepted.
    public let accepted: NIODeadline
    /// How many calls were carried out.
    public var calls = 0
    /// How many bytes were received.
    public var receivedBytes = 0
    /// How many bytes were sent, or wait to be.
    public var sentBytes = 0
    /// The fully qualified method whose replies it is following; nil: none.
    public var following: String?
    /// The subject of these replies, a clause, if the method tells it.
    public var followed: String?
    /// How many bytes of replies it has not read.
    public var unreadBytes = 0
}

/// Counts what one connection does.
final class ConnectionAccount: Sendable {
    private let state: Mutex<ClientReport>

    init(_ peer: Peer) {
        state = Mutex(ClientReport(peer: peer, accepted: .now()))
    }

    var report: ClientReport { state.withLock { $0 } }

    /// Something was counted.
    func note(_ body: (inout ClientReport) -> Void) { state.withLock { body(&$0) } }
}
