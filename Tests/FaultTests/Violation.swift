import DaemonHost
import SystemPackage

/// Something that the daemon must not do.
struct Violation: Error, CustomStringConvertible {
    /// What it did.
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Throws unless the condition holds.
    static func unless(
        _ condition: Bool, _ description: @autoclosure () -> String
    ) throws(Violation) {
        if !condition { throw Violation(description()) }
    }
}

/// A line for whoever reads the log of the tests.
func report(_ line: String) {
    do {
        try FileDescriptor.standardOutput.writeAll("\(line)\n".utf8)
    } catch {
        fatalError("standard output cannot be written: \(error)")
    }
}
