import Glibc

/// Failure to listen on a port.
package struct ListenFailure: Error, Sendable, CustomStringConvertible {
    package let port: Int
    /// Error number (see bind(2)).
    package let code: CInt

    /// Creates the error for a failed bind(2).
    package init(port: Int, code: CInt) {
        self.port = port
        self.code = code
    }

    /// Sentence that states the cause and what to do.
    package var description: String {
        switch code {
        case EADDRINUSE:
            "Port \(port) is in use by another program: stop that program, or choose another port with --port."
        case EACCES, EPERM:
            "This user is not permitted to listen on port \(port): choose a port above 1023 with --port."
        default: "Cannot listen on port \(port): \(String(cString: strerror(code)))."
        }
    }
}
