import Logging
import NIOCore

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
