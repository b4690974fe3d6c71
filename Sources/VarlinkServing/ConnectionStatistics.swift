public import NIOCore
import Synchronization
public import Varlink

/// Statistics of one connection.
public struct ClientReport: Sendable {
    /// Process at the other end of the connection.
    public let peer: Peer
    /// Time at which the connection was accepted.
    public let accepted: NIODeadline
    /// Number of started calls.
    public var calls = 0
    /// Number of received bytes.
    public var receivedBytes = 0
    /// Number of bytes that have been sent or are waiting to be sent.
    public var sentBytes = 0
    /// Fully qualified name of the method that is streaming replies to the client, or `nil` if there is no stream.
    public var following: String?
    /// Phrase that describes the followed object, or `nil` if the method has not provided a phrase.
    public var followed: String?
    /// Number of reply bytes that the client has not read.
    public var unreadBytes = 0
}

/// Thread-safe storage for a connection's statistics.
final class ConnectionStatistics: Sendable {
    private let state: Mutex<ClientReport>

    init(_ peer: Peer) {
        state = Mutex(ClientReport(peer: peer, accepted: .now()))
    }

    var report: ClientReport { state.withLock { $0 } }

    /// Updates the statistics.
    func update(_ body: (inout ClientReport) -> Void) { state.withLock { body(&$0) } }
}
