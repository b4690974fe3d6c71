import CLinux
import Glibc
package import NIOCore
import NIOPosix
import Synchronization
import Varlink

/// Where those wait whose turn on an event loop has ended, until the loop has looked for I/O.
///
/// An event loop polls its sockets only when nothing is left to run: whoever comes again at once, by
/// `execute` or `Task.yield()`, keeps everybody out who has just sent something. This waits for an
/// event of the loop's own selector instead, an eventfd(2), so that what others sent meanwhile was
/// read. Each event lets one go on, the one that has waited for longest.
package final class TurnGate: Sendable {
    private struct State {
        /// Of the eventfd; nil while the gate holds nobody up.
        var channel: (any Channel)?
        var isClosed = false
        var waiting = CircularBuffer<CheckedContinuation<Void, Never>>()
    }

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    /// A gate that only lets others of the event loop run, until it is opened.
    package init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Takes the descriptors that it needs; once is enough.
    ///
    /// - Throws: why the system gives none.
    package func open() async throws {
        if state.withLock({ $0.channel != nil || $0.isClosed }) { return }
        let channel = try await makeChannel()
        let isTaken = state.withLock { state in
            if state.channel != nil || state.isClosed { return false }
            state.channel = channel
            return true
        }
        if !isTaken { channel.close(promise: nil) }
    }

    private func makeChannel() async throws -> any Channel {
        let descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SocketError(call: "eventfd", errno: errno) }
        // SwiftNIO reads and writes through a descriptor each.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
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
                .takingOwnershipOfDescriptors(input: descriptor, output: copy).get()
        } catch {
            Glibc.close(descriptor)
            Glibc.close(copy)
            throw error
        }
    }

    /// Whether it holds nobody up any more.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether somebody waits.
    package var isBusy: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Returns when the event loop has looked for I/O, and all who came before have gone on.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, channel) = state.withLock { state -> (Bool, (any Channel)?) in
                guard let channel = state.channel, !state.isClosed else { return (false, nil) }
                state.waiting.append(continuation)
                return (true, state.waiting.count == 1 ? channel : nil)
            }
            if !isOpen { return eventLoop.execute { continuation.resume() } }
            if let channel { Self.arm(channel) }
        }
    }

    /// Lets all go on who wait, and gives the descriptors back.
    package func close() {
        let (channel, waiting) = state.withLock { state in
            defer {
                state.isClosed = true
                state.channel = nil
                state.waiting = CircularBuffer()
            }
            return (state.channel, state.waiting)
        }
        for continuation in waiting { continuation.resume() }
        channel?.close(promise: nil)
    }

    /// The selector has an event.
    fileprivate func letOneGoOn() {
        let (continuation, channel) = state.withLock { state in
            let continuation = state.waiting.popFirst()
            return (continuation, state.waiting.isEmpty ? nil : state.channel)
        }
        if let channel { Self.arm(channel) }
        // Behind what other events of this poll bring.
        if let continuation { eventLoop.execute { continuation.resume() } }
    }

    /// Makes the eventfd readable, which the next poll finds.
    private static func arm(_ channel: any Channel) {
        channel.writeAndFlush(one, promise: nil)
    }

    private static let one = withUnsafeBytes(of: UInt64(1)) { ByteBuffer(bytes: $0) }
}

/// Tells a gate of the events of its eventfd.
private final class ReadinessHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let gate: TurnGate

    init(_ gate: TurnGate) {
        self.gate = gate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        gate.letOneGoOn()
    }

    /// The loop ends, or the gate was closed.
    func channelInactive(context: ChannelHandlerContext) {
        gate.close()
    }
}
