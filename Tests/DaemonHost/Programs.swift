import Glibc
package import SystemPackage

/// Built programs that these tests start.
package enum Programs {
    /// Returns the path of the daemon.
    package static func reprised() throws -> FilePath { try program("reprised") }

    /// Returns the path of the command-line client.
    package static func reprisectl() throws -> FilePath { try program("reprisectl") }

    /// Returns the path of the example that tests Varlink implementations, which is not installed.
    package static func certification() throws -> FilePath {
        try program("certification", in: testsDirectory())
    }

    /// Returns the path of a program in `$REPRISE_PROGRAMS` or, without this variable, in the directory of these tests.
    private static func program(_ name: String) throws -> FilePath {
        let named = getenv("REPRISE_PROGRAMS").map { FilePath(platformString: $0) }
        return try program(name, in: named ?? testsDirectory())
    }

    private static func program(_ name: String, in directory: FilePath) throws -> FilePath {
        let path = directory.appending(name)
        guard access(path.string, X_OK) == 0 else { throw MissingProgram(path: path) }
        return path
    }

    private static func testsDirectory() throws -> FilePath { try tests().removingLastComponent() }

    /// Returns the path of the program that contains these tests.
    package static func tests() throws -> FilePath {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw Errno(rawValue: errno) }
        return FilePath(String(decoding: buffer.prefix(count), as: UTF8.self))
    }
}

/// Error for a program that has not been built.
package struct MissingProgram: Error, CustomStringConvertible {
    /// Expected path of the program.
    package let path: FilePath

    /// Sentence that states what is missing and what to do.
    package var description: String {
        "\(path) is missing: run `swift build --product \(path.lastComponent?.string ?? "")` "
            + "first, or name the directory of the programs in $REPRISE_PROGRAMS."
    }
}
