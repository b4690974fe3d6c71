import ExactText
import RepriseControl
import Synchronization
import Varlink

/// Sockets of the daemons that can run the displayed applications: one socket for each host of a cluster.
///
/// A daemon that does not run an application refuses a call for this application without changing anything. A call can
/// therefore be made to one daemon after another.
package final class DaemonSockets: Sendable {
    /// Paths of the sockets, in the order in which they are tried.
    private let paths: [String]
    /// Path of the socket at which each application was found last.
    private let lastPaths = Mutex<[ExactString: String]>([:])

    /// Creates a list of sockets.
    ///
    /// - Parameter paths: The paths, at least one.
    package init(_ paths: [String]) { self.paths = paths }

    /// Returns the paths in the order in which they are tried for an application. The path at which the application was
    /// found last is the first one.
    func paths(for application: String?) -> [String] {
        let last = lastPaths.withLock { $0[application ?? ""] }
        guard let last else { return paths }
        return [last] + paths.filter { $0 != last }
    }

    /// Connects to one daemon after another, until a closure finds the daemon that runs an application.
    ///
    /// - Parameters:
    ///   - application: The bundle identifier of the application, or `nil` for the daemon's first application.
    ///   - body: A closure that receives a connection, and the path of its socket.
    /// - Returns: The result of the closure.
    /// - Throws: The first error that a call to another daemon would not avoid. If there is no such error, the last
    ///   error of a daemon that replied, or otherwise the last error.
    func withOwner<Result>(
        of application: String?, _ body: (VarlinkConnection, String) async throws -> Result
    ) async throws -> Result {
        var replied: (any Error)?
        var last: any Error = CancellationError()
        for path in paths(for: application) {
            do {
                let result = try await body(try await .connect(path), path)
                lastPaths.withLock { $0[application ?? ""] = path }
                return result
            } catch let failure as any DaemonFailure {
                if failure.isFinal { throw failure }
                if failure.isReply { replied = failure }
                last = failure
            } catch {
                last = error
            }
        }
        throw replied ?? last
    }
}

/// Failure of a call that another daemon might perform.
private protocol DaemonFailure: Error {
    /// Whether every daemon would refuse the call.
    var isFinal: Bool { get }
    /// Whether the daemon has replied.
    var isReply: Bool { get }
}

extension CallFailure: DaemonFailure {
    fileprivate var isFinal: Bool {
        if case .unavailable = CallOutcome(self) { false } else { true }
    }

    fileprivate var isReply: Bool {
        if case .connection = self { false } else { true }
    }
}
