import Glibc
import Logging
import NIOCore
import Varlink

/// Channel handler that forwards a channel's events to a ``Connection``. The handler and the connection are confined to
/// the same event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    func channelActive(context: ChannelHandlerContext) {
        connection.assumeIsolated { $0.handleActivation() }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        connection.assumeIsolated { $0.handleReceivedBytes(buffer) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            connection.assumeIsolated { $0.handleInputEnd() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.assumeIsolated { $0.handleWritabilityChange() }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the channel after an error, so that the connection is cleaned up in the usual way. SwiftNIO also reports
    /// a disconnected peer as an error.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// Channel handler that refuses a connection: it sends the reason, then closes the connection.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let error: VarlinkError?

    /// Creates a handler.
    ///
    /// - Parameter error: Error to reply with, or `nil` to close without a reply.
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

/// Channel handler that logs errors that occur while connections are accepted. The listening socket stays open.
///
/// If the system has no descriptors or memory left for another connection, the server stops accepting connections for a
/// short time, because the next attempt would fail immediately.
final class AcceptErrorHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let acceptPause = TimeAmount.seconds(1)

    private let refusalLog: RefusalLog

    init(_ refusalLog: RefusalLog) {
        self.refusalLog = refusalLog
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let code = (error as? IOError)?.errnoCode
        let isResourceExhausted =
            code.map { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains($0) } ?? false
        refusalLog.log(
            .acceptFailed,
            isResourceExhausted
                ? "\(error); the server briefly stops accepting connections: raise the limit of open files, or lower the limit of connections"
                : "\(error)")
        guard isResourceExhausted else { return }
        let channel = context.channel
        channel.setOption(.autoRead, value: false)
            .flatMap { channel.eventLoop.scheduleTask(in: Self.acceptPause) {}.futureResult }
            .flatMap { channel.setOption(.autoRead, value: true) }
            .whenComplete { _ in }
    }
}
