import Logging
import NIOCore
import Varlink

/// Brings the events of a channel to its ``Connection``, on the event loop that both are confined
/// to.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    func channelActive(context: ChannelHandlerContext) {
        connection.assumeIsolated { $0.activated() }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        connection.assumeIsolated { $0.received(buffer) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            connection.assumeIsolated { $0.inputEnded() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.assumeIsolated { $0.writabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    /// A peer that is gone shows as an error here; the connection ends as at any other close.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// Logs what goes wrong while connections are accepted; the listening socket goes on.
final class AcceptErrorHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.warning(
            "A connection could not be accepted.", metadata: ["error": "\(error)"])
    }
}
