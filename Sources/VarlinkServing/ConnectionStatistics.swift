public import NIOCore
import Synchronization
public import Varlink

/// Statistics of one connection.
public struct ClientReport: Sendable {
    /// Process at the other end of the connection.
    public let peer: Peer
    /// Time at which the connection was accepted.
    public let acceptedTime: NIODeadline
    /// Number of started calls.
    public var callCount = 0
    /// Number of received bytes.
    public var receivedByteCount = 0
    /// Number of bytes that have been sent or are waiting to be sent.
    public var sentByteCount = 0
    /// Fully qualified name of the method that is streaming replies to the client, or `nil` if there is no stream.
    public var streamingMethod: String?
    /// Phrase that describes what the client follows, or `nil` if the method has not provided a phrase.
    public var followedObject: String?
    /// Number of reply bytes that the client has not read.
    public var unreadByteCount = 0
}

/// Thread-safe storage for a connection's statistics.
final class ConnectionStatistics: Sendable {
    private let reportStorage: Mutex<ClientReport>

    init(_ peer: Peer) {
        reportStorage = Mutex(ClientReport(peer: peer, acceptedTime: .now()))
    }

    var report: ClientReport { reportStorage.withLock { $0 } }

    /// Updates the statistics.
    func update(_ body: (inout ClientReport) -> Void) { reportStorage.withLock { body(&$0) } }
}
