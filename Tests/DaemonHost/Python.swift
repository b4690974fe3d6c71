import Subprocess
package import SystemPackage

/// Python environment with packages of other projects for the interfaces that the daemon serves.
package enum Python {
    /// Script that creates the environment once, in `.build`. The directory appears when it is complete.
    private static let installation = """
        set -e
        [ -x "$1/bin/python" ] && exit
        rm -rf "$1.new" "$1"
        python3 -m venv "$1.new"
        "$1.new/bin/python" -m pip install --quiet --disable-pip-version-check \
            varlink==31.0.0 prometheus-client==0.21.1
        mv "$1.new" "$1"
        """

    /// Installation that concurrent tests share.
    private static let installed = Task {
        let directory = FilePath(#filePath).removingLastComponent().removingLastComponent()
            .removingLastComponent().appending(".build/python-clients")
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-c", installation, "sh", directory.string],
            output: .discarded, error: .string(limit: ProgramResult.outputLimit))
        guard result.terminationStatus.isSuccess else {
            throw ScriptFailure(description: result.standardError)
        }
        return directory.appending("bin/python").string
    }

    /// Runs a script in a directory, and requires that it succeeds.
    package static func run(_ script: String, _ arguments: [String], in directory: FilePath)
        async throws
        -> String
    {
        let result = try await ProgramResult.of(
            [try await installed.value, "-c", script] + arguments, in: directory)
        guard result.status.isSuccess else { throw ScriptFailure(description: "\(result)") }
        return result.output
    }

    /// Error for a script that failed.
    private struct ScriptFailure: Error, CustomStringConvertible {
        /// Output of the script.
        let description: String
    }
}
