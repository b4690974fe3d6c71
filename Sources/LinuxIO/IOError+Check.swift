import Glibc

extension IOError {
    /// Makes a system call again until it is not interrupted, and throws what it reports.
    ///
    /// - Parameter call: returns a negative number after setting errno, like a system call.
    /// - Returns: what the call returned.
    @discardableResult
    static func check(
        _ operation: Operation, path: String, _ call: () -> CInt
    ) throws(IOError) -> CInt {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = Glibc.errno
            if code != EINTR { throw IOError(operation, path: path, code: code) }
        }
    }

    /// As ``check(_:path:_:)``, but `nil` when what was named does not exist (`ENOENT`).
    static func checkExisting(
        _ operation: Operation, path: String, _ call: () -> CInt
    ) throws(IOError) -> CInt? {
        do throws(IOError) {
            return try check(operation, path: path, call)
        } catch  where error.code == ENOENT {
            return nil
        }
    }
}
