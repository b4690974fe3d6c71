import Encryption
import ExactText
import Glibc
import LinuxIO
import SavedState

/// Directory in which an application stores its model data, separately from its saved state (L1, L7).
///
/// The directory is `Documents/<bundle identifier>` in the state directory. It is created with mode 0700 when the first
/// document is written. Documents have mode 0600. Reading a document does not create the directory. Reprise never
/// deletes documents, even when it removes saved state (L1).
///
/// The state directory remains locked as long as any copy of this value exists.
public struct DocumentsDirectory: Sendable {
    static let directoryName = "Documents"
    /// Maximum size, in bytes, of a document that ``replace(_:with:)`` accepts, and default limit for
    /// ``read(_:limit:)``.
    public static let maximumDocumentSize = 64 << 20

    private let stateDirectory: StateDirectory
    private let bundleIdentifier: String
    /// Replicator that passes each replaced document to the replica.
    let replicator = DocumentReplicator()
    /// Open files of documents that the running application has read or replaced.
    let openDocuments = OpenDocuments()

    init(_ stateDirectory: StateDirectory, bundleIdentifier: String) {
        self.stateDirectory = stateDirectory
        self.bundleIdentifier = bundleIdentifier
    }

    /// Path of the directory. The directory might not exist.
    public var path: String {
        "\(stateDirectory.path)/\(Self.directoryName)/\(bundleIdentifier)"
    }

    /// Returns the path of a document, whether or not the document exists.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Reads a complete document.
    ///
    /// - Parameters:
    ///   - name: The name of the document. It must consist of 1 to 250 bytes, must not contain `/` or control
    ///     characters, and must not begin with `.`.
    ///   - limit: The maximum size of the document in bytes.
    /// - Returns: The contents of the document, or `nil` if the document does not exist.
    /// - Throws: ``DocumentError``. If the document is larger than the limit, the error's `errno` is `EFBIG`.
    public func read(
        _ name: String, limit: Int = maximumDocumentSize
    ) throws(DocumentError) -> [UInt8]? {
        try validateName(name)
        do throws(IOError) {
            guard
                let directory = try openDirectory(),
                let bytes = try directory.readIntact(name, limit: limit)
            else {
                openDocuments.close(name)
                return nil
            }
            keepOpen(name, in: directory)
            return bytes
        } catch {
            throw DocumentError(error)
        }
    }

    /// Recreates documents that another program removed after this program had read or replaced them.
    ///
    /// - Returns: The names of the removed documents, each with an error if the document could not be recreated.
    func recreateRemovedDocuments() -> [(name: String, failure: DocumentError?)] {
        if openDocuments.openFiles.isEmpty { return [] }
        do throws(DocumentError) {
            let presentNames = Set(try names().map { ExactString($0) })
            reopenReplacedDocuments(presentNames)
            return openDocuments.openFiles.filter { !presentNames.contains(ExactString($0.name)) }
                .map {
                    name, file in
                    do throws(DocumentError) {
                        let bytes: [UInt8]
                        do throws(IOError) {
                            bytes = try file.readAll(limit: Self.maximumDocumentSize)
                        } catch {
                            throw DocumentError(error)
                        }
                        try replace(name, with: bytes)
                        return (name, nil)
                    } catch {
                        return (name, error)
                    }
                }
        } catch {
            // If the directory cannot be read, the error is reported when a document is read.
            return []
        }
    }

    /// Opens the directory, or returns `nil` if it does not exist.
    private func openDirectory() throws(IOError) -> (any SealingDirectory)? {
        try stateDirectory.root.openSubdirectory(Self.directoryName)?.openSubdirectory(
            bundleIdentifier)
    }

    /// Reopens each document whose file another program has replaced.
    private func reopenReplacedDocuments(_ presentNames: Set<ExactString>) {
        do throws(IOError) {
            guard let directory = try openDirectory() else { return }
            for (name, file) in openDocuments.openFiles
            where presentNames.contains(ExactString(name)) {
                let status = try file.status()
                // A document that has been removed since it was listed stays open, so that it can be recreated.
                if let currentStatus = try directory.status(of: name),
                    !currentStatus.isSameFile(as: status),
                    let newFile = try directory.openForReading(name)
                {
                    openDocuments.keepOpen(newFile, as: name)
                }
            }
        } catch {}  // A persistent error is reported when a document is read.
    }

    /// Opens a document, and keeps it open so that it can be recreated.
    ///
    /// Errors are ignored, because the open file is only a precaution.
    private func keepOpen(_ name: String, in directory: some DirectoryProtocol) {
        do throws(IOError) {
            if let file = try directory.openForReading(name) {
                return openDocuments.keepOpen(file, as: name)
            }
        } catch {}
        openDocuments.close(name)
    }

    /// Replaces a document, or creates it if it does not exist.
    ///
    /// The document is durable when the method returns. After an error or a power cut, the file contains either all of
    /// the old bytes or all of the new bytes.
    ///
    /// - Parameters:
    ///   - name: The name of the document. The restrictions are the same as for ``read(_:limit:)``.
    ///   - bytes: The new contents of the document.
    /// - Throws: ``DocumentError``. If there are more bytes than ``maximumDocumentSize``, the error's `errno` is `EFBIG`,
    ///   because the document could not be read back.
    public func replace(_ name: String, with bytes: [UInt8]) throws(DocumentError) {
        try validateName(name)
        guard bytes.count <= Self.maximumDocumentSize else {
            throw .tooLarge(path(of: name), bytes.count)
        }
        do throws(IOError) {
            try stateDirectory.replaceDocument(of: bundleIdentifier) { () throws(IOError) in
                // If the state directory has been moved or replaced, the next start would not find the document.
                guard try stateDirectory.root.pathStatus() == .sameDirectory else {
                    throw IOError(.openDirectory, path: stateDirectory.path, code: ESTALE)
                }
                try replace(
                    name, with: bytes,
                    below: try stateDirectory.root.openOrCreateSubdirectory(Self.directoryName))
            }
        } catch {
            throw DocumentError(error)
        }
        replicator.replicateDocument(name, bytes)
    }

    /// Returns the names of the documents, ignoring other entries in the directory.
    func names() throws(DocumentError) -> [String] {
        do throws(IOError) {
            guard let directory = try openDirectory() else { return [] }
            var names: [String] = []
            for name in try directory.names() where isValidName(name) {
                if try directory.status(of: name)?.kind == .file { names.append(name) }
            }
            return names
        } catch {
            throw DocumentError(error)
        }
    }

    /// Replaces a document in the application's directory.
    ///
    /// - Parameter documents: The directory that contains the document directories of all applications.
    private func replace(
        _ name: String, with bytes: [UInt8], below documentsDirectory: some DirectoryProtocol
    ) throws(IOError) {
        let directory = try documentsDirectory.openOrCreateSubdirectory(bundleIdentifier)
        // A file that cannot be decrypted because its key is missing must not be overwritten.
        do throws(IOError) {
            _ = try directory.openForReading(name)
        } catch  where error.indicatesMissingKey {
            throw error
        } catch {}  // A file with any other error is replaced.
        // If the document exists, the parent directories have already been made durable.
        if try !directory.names().contains(name) {
            try stateDirectory.root.synchronize()
            try documentsDirectory.synchronize()
        }
        try directory.replace(name, with: bytes, temporaryName: ".\(name).new")
        keepOpen(name, in: directory)
    }

    private func validateName(_ name: String) throws(DocumentError) {
        if !isValidName(name) { throw .invalidName(name) }
    }

    private func isValidName(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...DocumentError.maximumNameBytes).contains(bytes.count)
            && bytes.first != UInt8(ascii: ".")
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }
}
