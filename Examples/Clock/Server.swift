import Glibc
import Logging
import NIOPosix
import Varlink
import VarlinkServing

/// A clock that `varlinkctl` and ``ClockClient`` can read.
struct Clock: ClockMethods {
    func now(_ context: CallContext) async throws -> ClockInterface.NowCall.Reply {
        .init(seconds: try seconds())
    }

    func tick(
        _ call: ClockInterface.TickCall, _ context: CallContext,
        _ replies: ReplySender<ClockInterface.TickCall.Reply>
    ) async throws -> ClockInterface.TickCall.Reply {
        guard call.times > 0 else { throw VarlinkError.invalidParameter("times") }
        for _ in 1..<call.times {
            try await replies.send(.init(seconds: try seconds()))
            try await Task.sleep(for: .seconds(1))
        }
        return .init(seconds: try seconds())
    }

    private func seconds() throws -> Int {
        let time = time(nil)
        guard time > 0 else { throw ClockError.notSet(reason: "it is before 1970") }
        return time
    }
}

func serve(at path: String) async throws {
    let server = try VarlinkServer(
        info: ServiceInfo(
            vendor: "Example", product: "clock", version: "1", url: "https://example.org"),
        interfaces: [try ClockDispatcher(Clock())], group: MultiThreadedEventLoopGroup.singleton,
        logger: Logger(label: "clock"))
    try await server.listen(path: path, mode: 0o660)
    await server.run()
}
