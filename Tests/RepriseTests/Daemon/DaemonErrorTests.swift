import Testing

@testable import Reprise

@Suite struct DaemonErrorTests {
    @Test func `a wrong configuration exits as EX_CONFIG, which the unit does not restart on`() {
        #expect(DaemonError.Kind.configuration.exitStatus == 78)
    }

    @Test func `anything else exits with 1`() {
        #expect(DaemonError.Kind.environment.exitStatus == 1)
    }

    @Test func `an error says what its cause says`() {
        let error = DaemonError(ConfigurationError.emptyOption)
        #expect(error.kind == .configuration)
        #expect("\(error)" == "\(ConfigurationError.emptyOption)")
        let other = DaemonError(LocationError.noControlSocket)
        #expect(other.kind == .environment)
        #expect("\(other)" == "\(LocationError.noControlSocket)")
    }
}
