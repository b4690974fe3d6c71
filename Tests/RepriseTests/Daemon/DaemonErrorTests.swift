import Testing

@testable import Reprise

@Suite struct DaemonErrorTests {
    @Test func `a configuration error exits with EX_CONFIG, on which the unit does not restart`() {
        #expect(DaemonError.Kind.configuration.exitStatus == 78)
    }

    @Test func `any other error exits with status 1`() {
        #expect(DaemonError.Kind.environment.exitStatus == 1)
    }

    @Test func `an error has the description of its cause`() {
        let error = DaemonError(ConfigurationError.emptyOption)
        #expect(error.kind == .configuration)
        #expect("\(error)" == "\(ConfigurationError.emptyOption)")
        let other = DaemonError(LocationError.noControlSocket)
        #expect(other.kind == .environment)
        #expect("\(other)" == "\(LocationError.noControlSocket)")
    }
}
