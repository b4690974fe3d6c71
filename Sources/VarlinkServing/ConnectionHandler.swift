import Glibc
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

/// Tells why a connection is not served, and closes it.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let error: VarlinkError?

    /// - Parameter error: the reply to what the peer calls; nil: none.
    init(_ error: VarlinkError?) {
        self.error = error
    }

    func channelActive(context: ChannelHandlerContext) {
        let message = error.map { ReplyMessage(.error($0)).message } ?? []
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer(bytes: message)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}

/// Tells what goes wrong while connections are accepted. The listening socket goes on, after a pause
/// where the system has no descriptors or no memory for a connection: it would fail again at once.
final class AcceptErrorHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let pause = TimeAmount.seconds(1)

    private let refusals: RefusalLog

    init(_ refusals: RefusalLog) {
        self.refusals = refusals
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let code = (error as? IOError)?.errnoCode
        let isExhausted = code.map { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains($0) } ?? false
        refusals.tell(
            .acceptFailed,
            isExhausted
                ? "\(error); accepting pauses: raise the limit of descriptors, or lower that of connections"
                : "\(error)")
        guard isExhausted else { return }
        let channel = context.channel
        channel.setOption(.autoRead, value: false)
            .flatMap { channel.eventLoop.scheduleTask(in: Self.pause) {}.futureResult }
            .flatMap { channel.setOption(.autoRead, value: true) }
            .whenComplete { _ in }
    }
}
