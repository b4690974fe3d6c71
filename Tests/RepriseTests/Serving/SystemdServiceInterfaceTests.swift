import Logging
import TestSupport
import Testing
import Varlink

@testable import Reprise

/// Interface that any systemd service may provide.
@Suite struct SystemdServiceInterfaceTests {
    @Test(arguments: 0..<8)
    func `the log level is returned as it was set, but levels more urgent than 2 as 2`(level: Int)
        async throws
    {
        let methods = SystemdServiceImplementation(
            reloadRequests: ReloadRequestQueue(), level: LiveLogLevel(.trace), environment: [:])
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "V", product: "P", version: "1", url: "https://e.org/"),
            interfaces: [SystemdServiceDispatcher(methods)], logger: .quiet)
        func answer(_ method: String, _ parameters: String) async throws -> String {
            let name = "\(SystemdServiceInterface.name).\(method)"
            let call = try Call(
                parsing: Array(#"{"method":"\#(name)","parameters":\#(parameters)}"#.utf8))
            let outcome = await service.answer(
                call, from: Peer(pid: 1, uid: 2, gid: 3), access: .all)
            return String(decoding: ReplyMessage(outcome).message.dropLast(), as: UTF8.self)
        }
        #expect(
            try await answer("SetLogLevel", #"{"level":\#(level)}"#) == #"{"parameters":{}}"#)
        #expect(
            try await answer("GetLogLevel", "{}")
                == #"{"parameters":{"level":\#(max(2, level))}}"#)
    }
}
