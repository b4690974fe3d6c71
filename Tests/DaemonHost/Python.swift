import Subprocess
package import SystemPackage

/// A Python with what other projects have written for the interfaces that the daemon serves.
package enum Python {
    /// Makes it under `.build`, once: the folder appears when it is whole.
    private static let installation = """
        set -e
        [ -x "$1/bin/python" ] && exit
        rm -rf "$1.new" "$1"
        python3 -m venv "$1.new"
        "$1.new/bin/python" -m pip install --quiet --disable-pip-version-check \
            varlink==31.0.0 prometheus-client==0.21.1
        mv "$1.new" "$1"
        """

    /// One installation for tests that run at the same time.
    private static let installed = Task {
        let folder = FilePath(#filePath).removingLastComponent().removingLastComponent()
            .removingLastComponent().appending(".build/python-clients")
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-c", installation, "sh", folder.string],
            output: .discarded, error: .string(limit: ProgramResult.outputLimit))
        guard result.terminationStatus.isSuccess else {
            throw ScriptFailure(description: result.standardError)
        }
        return folder.appending("bin/python").string
    }

    /// Runs a script in a folder, which has to succeed.
    package static func run(_ script: String, _ arguments: [String], in folder: FilePath)
        async throws
        -> String
    {
        let result = try await ProgramResult.of(
            [try await installed.value, "-c", script] + arguments, in: folder)
        guard result.status.isSuccess else { throw ScriptFailure(description: "\(result)") }
        return result.output
    }

    /// A script did not end well.
    private struct ScriptFailure: Error, CustomStringConvertible {
        /// What it told.
        let description: String
    }
}
