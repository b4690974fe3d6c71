#if Web
    import NIOCore

    /// Channel handler that closes a connection if the client has read nothing for some time.
    ///
    /// SwiftNIO suspends a response while more than 64 KiB are unsent, and Hummingbird's idle timeout does not apply to
    /// a response. Without this handler, a client that reads nothing could keep a response open indefinitely.
    final class WriteTimeoutHandler: ChannelOutboundHandler, RemovableChannelHandler {
        typealias OutboundIn = Any
        typealias OutboundOut = Any

        private let timeout: TimeAmount
        /// Number of bytes that were added to the channel's buffer.
        private var writtenBytes = 0
        private var check: Scheduled<Void>?

        /// Creates a handler that closes a connection within twice the timeout.
        init(timeout: TimeAmount) { self.timeout = timeout }

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            // Handlers between this one and the buffer encode the data.
            let earlier = waitingBytes(context)
            context.write(data, promise: promise)
            writtenBytes += waitingBytes(context) - earlier
        }

        func flush(context: ChannelHandlerContext) {
            context.flush()
            if check == nil { scheduleCheck(context) }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            check?.cancel()
            check = nil
        }

        /// Schedules a check that the client has read data by the end of the timeout, unless all data has been sent.
        private func scheduleCheck(_ context: ChannelHandlerContext) {
            let waiting = waitingBytes(context)
            guard waiting > 0 else { return }
            // This number grows if and only if the client reads.
            let sentBytes = writtenBytes - waiting
            check = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
                self.check = nil
                if self.writtenBytes - self.waitingBytes(context) == sentBytes {
                    context.close(promise: nil)
                } else {
                    self.scheduleCheck(context)
                }
            }
        }

        /// Returns the number of bytes in the channel's buffer.
        private func waitingBytes(_ context: ChannelHandlerContext) -> Int {
            // If the option cannot be read, the connection is closed, and no check is necessary.
            (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }
    }
#endif
