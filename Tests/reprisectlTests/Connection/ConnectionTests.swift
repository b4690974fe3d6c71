import Dispatch
import Glibc
import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// Calls over connections that may close at any time.
@Suite struct ConnectionTests {
    @Test func `a call after the daemon closed the connection uses a new connection`() throws {
        let daemon = try StubDaemon()
        let calls = daemon.calls()
        calls.application = "org.example.A"
        for _ in 0..<2 {
            let servingGroup = DispatchGroup()
            DispatchQueue(label: "own thread").async(group: servingGroup) {
                close(daemon.serve(#"{"parameters":{"saved":"written"}}"#))
            }
            #expect(try calls.make(TapCall.with { $0.path = "button" }).saved == .written)
            servingGroup.wait()
        }
    }

    @Test func `a disconnected connection is not used again`() throws {
        let daemon = try StubDaemon()
        let connection = DaemonConnection(socket: daemon.path, timeout: .seconds(60))
        for _ in 0..<2 {
            let servingGroup = DispatchGroup()
            DispatchQueue(label: "own thread").async(group: servingGroup) {
                daemon.serve(#"{"parameters":{}}"#)
            }
            _ = try connection.call(TapCall.with { $0.path = "button" }, isRepeatable: false)
            servingGroup.wait()
            connection.disconnect()
        }
    }
}
