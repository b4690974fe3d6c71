import ExactText
import Logging
import RepriseControl
import Varlink

/// Implementation of `io.systemd.service`, an interface that systemd's own services also offer.
struct SystemdServiceImplementation: SystemdServiceMethods {
    let reloadRequests: ReloadRequestQueue
    let level: LiveLogLevel
    /// Environment variables of the process.
    let environment: [String: String]

    /// Log levels, indexed by the numeric levels in syslog(3).
    private static let levels: [Logger.Level] = [
        .critical, .critical, .critical, .error, .warning, .notice, .info, .debug,
    ]

    func ping(_ context: CallContext) {}

    func reload(_ context: CallContext) async throws {
        do {
            _ = try await reloadRequests.reload()
        } catch let error as ControlError {
            throw SystemdServiceError.reloadFailed(reason: error.description)
        }
    }

    func setLogLevel(
        _ call: SystemdServiceInterface.SetLogLevelCall, _ context: CallContext
    ) throws(VarlinkError) {
        guard Self.levels.indices.contains(call.level) else { throw .invalidParameter("level") }
        level.level = Self.levels[call.level]
    }

    func getLogLevel(_ context: CallContext) -> SystemdServiceInterface.GetLogLevelCall.Reply {
        // Of the three numbers for `critical`, the result is the least urgent. `trace` has the same number as `debug`.
        .init(level: Self.levels.lastIndex { $0 >= level.level } ?? 2)
    }

    func getEnvironment(
        _ context: CallContext
    ) -> SystemdServiceInterface.GetEnvironmentCall.Reply {
        .init(environment: environment.map { "\($0)=\($1)" }.sorted())
    }
}
