import ExactText
import Glibc
import LinuxIO
import PositionedYAML

/// File system operations for reading a configuration.
///
/// A file is "missing" if nothing exists at its path, if a directory on the path does not exist, or if a component of
/// the path is not a directory. A directory is "missing" in the first two cases.
package protocol ConfigurationFileReader: Sendable {
    /// Reads a whole file.
    ///
    /// - Parameter limit: The maximum size in bytes, above which the file is refused with an error.
    /// - Throws: ``FileReadError``, which includes the path.
    func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8]

    /// Returns the names of the entries in a directory, in any order, without `.` and `..`.
    ///
    /// - Throws: ``FileReadError``, which includes the path.
    func names(in directory: String) throws(FileReadError) -> [String]
}

extension ConfigurationFileReader {
    /// Reads a whole YAML file.
    func readYAML(_ path: String) throws(ConfigurationError) -> [UInt8] {
        do {
            return try read(path, limit: YAMLLimits.maximumBytes)
        } catch {
            throw .unreadable(error)
        }
    }
}

/// Reader for the configuration files on this machine.
package struct LocalConfigurationFileReader: ConfigurationFileReader {
    /// Creates a reader.
    package init() {}

    /// Reads a whole file, following symbolic links, but without waiting for a pipe or device.
    package func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8] {
        try convertErrors(path, limit: limit) { () throws(IOError) in
            guard let file = try File.open(path) else { return nil }
            let isDirectory = try file.status().kind == .directory
            if isDirectory { throw IOError(.read, path: path, code: EISDIR) }
            return try file.readAll(limit: limit)
        }
    }

    /// Returns the names of the entries in a directory.
    package func names(in directory: String) throws(FileReadError) -> [String] {
        do throws(FileReadError) {
            return try convertErrors(directory) { () throws(IOError) in
                try Directory.open(directory)?.names(repairsInvalidUTF8: true)
            }
        } catch  where error.reason == .missing {
            // A symbolic link whose target is missing is an error, because the missing directory may be meant to
            // contain settings.
            var status = stat()
            if lstat(directory, &status) == 0 {
                throw FileReadError(path: directory, reason: .notDirectory)
            }
            throw error
        }
    }

    /// Runs a closure, and converts any failure to an error that includes the path.
    ///
    /// The closure returns `nil` if nothing exists at the path.
    private func convertErrors<Result>(
        _ path: String, limit: Int = .max, _ call: () throws(IOError) -> Result?
    ) throws(FileReadError) -> Result {
        let reason: FileReadError.Reason
        do throws(IOError) {
            if let result = try call() { return result }
            reason = .missing
        } catch {
            reason =
                switch (error.operation, error.code) {
                case (.openDirectory, ENOTDIR): .notDirectory
                case (_, ENOTDIR): .missing
                case (.read, EISDIR): .isDirectory
                case (.read, EINVAL): .notRegularFile
                case (.read, EFBIG): .tooLarge(limit: limit)
                default: .system(errno: error.code)
                }
        }
        throw FileReadError(path: path, reason: reason)
    }
}

/// Reader that loads the given configuration files in advance, and all other files on demand.
struct PreloadedConfigurationFileReader: ConfigurationFileReader {
    /// Contents of the files that were read in advance, keyed by path.
    private let preloadedContents: [ExactString: [UInt8]]
    private let programName: String

    /// Reads the given files.
    ///
    /// - Parameter programName: The name of the program, which determines the name of the drop-in directory.
    /// - Throws: ``ConfigurationError`` if a file cannot be read.
    init(_ paths: [String], of programName: String) throws(ConfigurationError) {
        self.programName = programName
        var preloadedContents: [ExactString: [UInt8]] = [:]
        for path in paths where !path.isEmpty && !path.utf8.contains(0) {
            preloadedContents[path] = try LocalConfigurationFileReader().readYAML(path)
        }
        self.preloadedContents = preloadedContents
    }

    func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8] {
        if let bytes = preloadedContents[path] { return bytes }
        return try LocalConfigurationFileReader().read(path, limit: limit)
    }

    func names(in directory: String) throws(FileReadError) -> [String] {
        do throws(FileReadError) {
            return try LocalConfigurationFileReader().names(in: directory)
        } catch  where [.system(errno: EACCES), .system(errno: EPERM)].contains(error.reason) {
            // If the user may not read the drop-in directory beside a preloaded file, the file counts as having no
            // drop-ins.
            let isBesidePreloadedFile = preloadedContents.keys.contains {
                directory == ConfigurationLocation(file: $0.text, of: programName).dropInsDirectory
            }
            if isBesidePreloadedFile { return [] }
            throw error
        }
    }
}
