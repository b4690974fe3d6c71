import DaemonHost
import SystemPackage

/// A violation of a rule by the daemon.
struct Violation: Error, CustomStringConvertible {
    /// Description of the daemon's behavior.
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Throws an error unless the condition holds.
    static func unless(
        _ condition: Bool, _ description: @autoclosure () -> String
    ) throws(Violation) {
        if !condition { throw Violation(description()) }
    }
}

/// Prints a line for readers of the test log.
func report(_ line: String) {
    do {
        try FileDescriptor.standardOutput.writeAll("\(line)\n".utf8)
    } catch {
        fatalError("standard output cannot be written: \(error)")
    }
}
