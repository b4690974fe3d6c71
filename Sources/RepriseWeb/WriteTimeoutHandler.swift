#if Web
    import NIOCore

    /// Channel handler that closes a connection if the client has read nothing for some time.
    ///
    /// SwiftNIO suspends a response while more than 64 KiB wait, and Hummingbird's idle timeout does not apply to a
    /// response. Without this handler, a client that reads nothing could keep a response open for any time.
    final class WriteTimeoutHandler: ChannelOutboundHandler, RemovableChannelHandler {
        typealias OutboundIn = Any
        typealias OutboundOut = Any

        /// Data that has waited since a check, to detect whether the client reads.
        private struct Progress {
            /// Number of bytes that wait.
            var waitingBytes: Int
            var completedWrites: Int
        }

        private let timeout: TimeAmount
        private var completedWrites = 0
        private var check: Scheduled<Void>?

        /// Creates a handler that closes a connection within twice the timeout.
        init(timeout: TimeAmount) { self.timeout = timeout }

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            let promise = promise ?? context.eventLoop.makePromise()
            promise.futureResult.assumeIsolated().whenSuccess { self.completedWrites += 1 }
            context.write(data, promise: promise)
        }

        func flush(context: ChannelHandlerContext) {
            context.flush()
            if check == nil { scheduleCheck(context) }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            check?.cancel()
            check = nil
        }

        /// Checks the progress after the timeout, unless no data waits.
        private func scheduleCheck(_ context: ChannelHandlerContext) {
            let earlier = progress(context)
            guard earlier.waitingBytes > 0 else { return }
            check = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
                self.check = nil
                let current = self.progress(context)
                if current.waitingBytes >= earlier.waitingBytes,
                    current.completedWrites == earlier.completedWrites
                {
                    context.close(promise: nil)
                } else {
                    self.scheduleCheck(context)
                }
            }
        }

        private func progress(_ context: ChannelHandlerContext) -> Progress {
            let options = context.channel.syncOptions
            return Progress(
                // If the option cannot be read, the connection is closed, and no check is necessary.
                waitingBytes: (try? options?.getOption(.bufferedWritableBytes)) ?? 0,
                completedWrites: completedWrites)
        }
    }
#endif
