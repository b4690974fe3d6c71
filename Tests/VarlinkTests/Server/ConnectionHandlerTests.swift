import Glibc
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import VarlinkServing

struct ConnectionHandlerTests {
    @Test(
        arguments: [
            (EMFILE, true), (ENFILE, true), (ENOBUFS, true), (ENOMEM, true), (ECONNABORTED, false),
            (EPERM, false),
        ] as [(CInt, Bool)])
    func `accepting pauses only if the system has no resources for another connection`(
        code: CInt, pauses: Bool
    ) async throws {
        let log = LogRecorder()
        let isAccepting = try await TestService.run(logger: log.logger()) { service in
            let listener = try #require(
                service.server.state.withLock { $0.listeners.first?.channel })
            return try await listener.eventLoop.submit { () throws -> Bool? in
                listener.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
                return try listener.syncOptions?.getOption(.autoRead)
            }.get()
        }
        #expect(isAccepting == !pauses)
        #expect(log.messages(from: .warning) == ["A connection could not be accepted."])
        let reason = try #require(log.entries.first?.metadata["reason"])
        #expect(reason.contains("raise the limit of open files") == pauses)
    }
}
