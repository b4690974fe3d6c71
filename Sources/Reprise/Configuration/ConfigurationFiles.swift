import ExactText
import Glibc
import LinuxIO

/// The little that reading a configuration needs of a file system.
///
/// "Missing" means that the path names nothing, also because a folder on the way is missing, or for
/// a file because it is no folder.
package protocol ConfigurationFiles: Sendable {
    /// Reads a whole file.
    ///
    /// - Parameter limit: The most bytes that are read; a larger file is an error.
    /// - Throws: ``FileReadError`` with the path.
    func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8]

    /// The names of what lies in a folder, in any order, without `.` and `..`.
    ///
    /// - Throws: ``FileReadError`` with the path.
    func names(in folder: String) throws(FileReadError) -> [String]
}

/// Why a file or a folder could not be read.
package struct FileReadError: Error, Sendable, Equatable {
    /// What stood in the way.
    package enum Reason: Sendable, Equatable {
        /// The path names nothing.
        case missing
        /// A file was asked for and the path names a folder.
        case isFolder
        /// A file was asked for and the path names a pipe, a socket or a device.
        case notAFile
        /// A folder was asked for and the path, or a folder on the way, names something else.
        case notAFolder
        /// The file has more bytes than this limit.
        case tooLarge(limit: Int)
        /// The system refused; its `errno`.
        case system(errno: Int32)
    }

    /// The path as it was asked for.
    package let path: String
    /// What stood in the way.
    package let reason: Reason
}

extension FileReadError: CustomStringConvertible {
    /// One sentence: the path, what stood in the way, what to do.
    package var description: String {
        switch reason {
        case .missing:
            "\(path) does not exist: write it, or name another file."
        case .isFolder:
            "\(path) is a directory: name the file in it."
        case .notAFile:
            "\(path) is not a regular file: put one there, or name another file."
        case .notAFolder:
            "\(path) is not a directory: put a directory with drop-ins there, or remove it."
        case .tooLarge(let limit):
            "\(path) has more than \(limit) bytes: make it smaller or split it."
        case .system(let errno) where errno == EACCES || errno == EPERM:
            "\(path) cannot be read (\(String(cString: strerror(errno)))): "
                + "give the daemon's user the right to read it."
        case .system(let errno):
            "\(path) cannot be read (\(String(cString: strerror(errno)))): "
                + "correct that, or name another file."
        }
    }
}

/// The files of this machine.
package struct LocalConfigurationFiles: ConfigurationFiles {
    /// The files of this machine.
    package init() {}

    /// Reads a whole file; follows symbolic links and never waits at a pipe or a device.
    package func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8] {
        try tell(path, limit: limit) { () throws(IOError) in
            guard let file = try File.open(path) else { return nil }
            let isFolder = try file.status().kind == .folder
            if isFolder { throw IOError(.read, path: path, code: EISDIR) }
            return try file.readWhole(limit: limit)
        }
    }

    /// Lists a folder.
    package func names(in folder: String) throws(FileReadError) -> [String] {
        do throws(FileReadError) {
            return try tell(folder) { () throws(IOError) in
                try Directory.open(folder)?.names(isRepaired: true)
            }
        } catch  where error.reason == .missing {
            // A link to nothing: its directory may hold settings that nobody wants to lose.
            var status = stat()
            if lstat(folder, &status) == 0 {
                throw FileReadError(path: folder, reason: .notAFolder)
            }
            throw error
        }
    }

    /// Tells with its path what stood in the way of a call, which gives nil if there is nothing.
    private func tell<Result>(
        _ path: String, limit: Int = .max, _ call: () throws(IOError) -> Result?
    ) throws(FileReadError) -> Result {
        let reason: FileReadError.Reason
        do throws(IOError) {
            if let result = try call() { return result }
            reason = .missing
        } catch {
            reason =
                switch (error.operation, error.code) {
                case (.openFolder, ENOTDIR): .notAFolder
                case (_, ENOTDIR): .missing
                case (.read, EISDIR): .isFolder
                case (.read, EINVAL): .notAFile
                case (.read, EFBIG): .tooLarge(limit: limit)
                default: .system(errno: error.code)
                }
        }
        throw FileReadError(path: path, reason: reason)
    }
}

/// The files of this machine, of which some were read before.
struct NamedFiles: ConfigurationFiles {
    private let contents: [ExactString: [UInt8]]
    private let program: String

    /// Reads files.
    ///
    /// - Parameter program: the name of the program, which its drop-ins have.
    /// - Throws: ``ConfigurationError`` if one cannot be read.
    init(_ paths: [String], of program: String) throws(ConfigurationError) {
        self.program = program
        var contents: [ExactString: [UInt8]] = [:]
        for path in paths where !path.isEmpty && !path.utf8.contains(0) {
            contents[path] = try LocalConfigurationFiles().readYAML(path)
        }
        self.contents = contents
    }

    func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8] {
        if let bytes = contents[path] { return bytes }
        return try LocalConfigurationFiles().read(path, limit: limit)
    }

    func names(in folder: String) throws(FileReadError) -> [String] {
        do throws(FileReadError) {
            return try LocalConfigurationFiles().names(in: folder)
        } catch  where [.system(errno: EACCES), .system(errno: EPERM)].contains(error.reason) {
            // Beside a file that others may not read there are no drop-ins for them.
            let isBesideNamed = contents.keys.contains {
                folder == ConfigurationLocation(file: $0.text, of: program).dropIns
            }
            if isBesideNamed { return [] }
            throw error
        }
    }
}
