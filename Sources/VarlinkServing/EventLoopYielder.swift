import CLinux
import Glibc
package import NIOCore
import NIOPosix
import Synchronization
import Varlink

/// Yielder that suspends a connection after its turn on an event loop until the loop has checked for I/O.
///
/// An event loop polls its sockets only when it has no more jobs to run. A task that schedules itself again
/// immediately, with `execute` or `Task.yield()`, therefore blocks every client that has just sent bytes. The yielder
/// instead waits for an event from an eventfd(2) on the loop's selector. When this event arrives, the loop has also
/// read the bytes from other clients. Each event resumes the waiter that has waited the longest.
package final class EventLoopYielder: Sendable {
    private struct State {
        /// Channel for the eventfd, or `nil` while the yielder is not open.
        var channel: (any Channel)?
        var isClosed = false
        var waiters = CircularBuffer<CheckedContinuation<Void, Never>>()
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    /// Creates a yielder. Before it is opened, ``yield()`` only lets the event loop run other jobs.
    package init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Opens the descriptors that the yielder needs. Further calls have no effect.
    ///
    /// - Throws: An error if the system cannot provide the descriptors.
    package func open() async throws {
        if state.withLock({ $0.channel != nil || $0.isClosed }) { return }
        let channel = try await makeChannel()
        let isInstalled = state.withLock { state in
            if state.channel != nil || state.isClosed { return false }
            state.channel = channel
            return true
        }
        if !isInstalled { channel.close(promise: nil) }
    }

    private func makeChannel() async throws -> any Channel {
        let descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SocketError(call: "eventfd", errno: errno) }
        // SwiftNIO needs one descriptor for reading and one for writing.
        let writeDescriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard writeDescriptor >= 0 else {
            let error = SocketError(call: "fcntl(F_DUPFD_CLOEXEC)", errno: errno)
            Glibc.close(descriptor)
            throw error
        }
        do {
            return try await NIOPipeBootstrap(group: eventLoop)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8))
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ReadinessHandler(self))
                    }
                }
                .takingOwnershipOfDescriptors(input: descriptor, output: writeDescriptor).get()
        } catch {
            Glibc.close(descriptor)
            Glibc.close(writeDescriptor)
            throw error
        }
    }

    /// Whether the yielder has been closed, so that it no longer delays its callers.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether any task is suspended in ``yield()``.
    package var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Waits until the event loop has checked for I/O and all earlier waiters have resumed.
    package func yield() async {
        await withCheckedContinuation { continuation in
            let (isOpen, channel) = state.withLock { state -> (Bool, (any Channel)?) in
                guard let channel = state.channel, !state.isClosed else { return (false, nil) }
                state.waiters.append(continuation)
                return (true, state.waiters.count == 1 ? channel : nil)
            }
            if !isOpen { return eventLoop.execute { continuation.resume() } }
            if let channel { Self.arm(channel) }
        }
    }

    /// Resumes all waiters and closes the descriptors.
    package func close() {
        let (channel, waiters) = state.withLock { state in
            defer {
                state.isClosed = true
                state.channel = nil
                state.waiters = CircularBuffer()
            }
            return (state.channel, state.waiters)
        }
        for continuation in waiters { continuation.resume() }
        channel?.close(promise: nil)
    }

    /// Closes the yielder if it uses the closed channel. A concurrent call to ``open()`` may have created and closed
    /// another channel.
    fileprivate func didClose(_ channel: any Channel) {
        if state.withLock({ $0.channel.map { $0 === channel } ?? false }) { close() }
    }

    /// Resumes the longest-waiting waiter. Called when the selector reports an event.
    fileprivate func resumeNextWaiter() {
        let (continuation, channel) = state.withLock { state in
            let continuation = state.waiters.popFirst()
            return (continuation, state.waiters.isEmpty ? nil : state.channel)
        }
        if let channel { Self.arm(channel) }
        // The waiter resumes after the handlers for the other events from the same poll.
        if let continuation { eventLoop.execute { continuation.resume() } }
    }

    /// Makes the eventfd readable, so that the next poll reports an event.
    private static func arm(_ channel: any Channel) {
        channel.writeAndFlush(eventCounterIncrement, promise: nil)
    }

    private static let eventCounterIncrement = withUnsafeBytes(of: UInt64(1)) {
        ByteBuffer(bytes: $0)
    }
}

/// Channel handler that forwards events from an eventfd to a yielder.
private final class ReadinessHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let yielder: EventLoopYielder

    init(_ yielder: EventLoopYielder) {
        self.yielder = yielder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        yielder.resumeNextWaiter()
    }

    /// Closes the yielder, because its channel has closed, for example after the event loop has been shut down.
    func channelInactive(context: ChannelHandlerContext) {
        yielder.didClose(context.channel)
    }
}
