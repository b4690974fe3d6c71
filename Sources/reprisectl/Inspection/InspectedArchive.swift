import Encryption
import Glibc
import LinuxIO
import SavedState
import StateRecords

/// Archive file that `inspect` reads.
struct InspectedArchive {
    /// Path of the file, as given on the command line.
    let path: String
    let inspection: ArchiveInspection
    let totals: ArchiveInspection.Totals
    private let keys: EncryptionKeys

    /// Reads and inspects a file.
    ///
    /// - Parameter keys: Keys that may be needed to decrypt the file.
    /// - Throws: ``Failure`` if the file cannot be read.
    init(path: String, keys: EncryptionKeys) throws {
        self.path = path
        self.keys = keys
        inspection = ArchiveInspection(try Self.read(path, keys))
        totals = inspection.totals()
    }

    private static func read(
        _ path: String, _ keys: EncryptionKeys
    ) throws(Failure) -> [UInt8] {
        do throws(IOError) {
            if let directory = try openDirectory(path.hasPrefix("/") ? "/" : ".", keys),
                let bytes = try directory.read(path, limit: ArchiveFormat.maximumFileBytes)
            {
                return bytes
            }
        } catch  where error.indicatesMissingKey {
            throw Failure(
                "'\(path)' is encrypted and cannot be read without \(missingKeyDescription(of: path, keys)).",
                status: .wrongKey)
        } catch  where error.code == EFBIG {
            throw Failure(
                """
                '\(path)' has more than \(ArchiveFormat.maximumFileBytes) bytes, the maximum size of an \
                archive: specify an archive, such as a data.archive.
                """)
        } catch  where error.code == ENOTDIR {
            // A part of the path is not a directory, so the file does not exist.
        } catch  where fileType(of: path) == S_IFDIR {
            throw Failure(
                "'\(path)' is a directory: specify an archive in it, such as a data.archive.")
        } catch  where ![S_IFREG, nil].contains(fileType(of: path)) {
            throw Failure(
                "'\(path)' is not a regular file: specify an archive, such as a data.archive.")
        } catch {
            var error = error
            error.path = path
            throw Failure("\(error)")
        }
        throw Failure("There is no file '\(path)': specify an archive, such as a data.archive.")
    }

    private static func openDirectory(
        _ path: String, _ keys: EncryptionKeys
    ) throws(IOError) -> SealedDirectory<Directory>? {
        try Directory.open(path).map { SealedDirectory($0, keys: keys) }
    }

    /// Returns a phrase that states what is needed to decrypt the file, and what to do.
    private static func missingKeyDescription(of path: String, _ keys: EncryptionKeys) -> String {
        var missingRequirement = DecryptionRequirement.unknownKey
        do throws(IOError) {
            let root = try openDirectory(path.hasPrefix("/") ? "/" : ".", keys)
            missingRequirement = root?.missingRequirement(of: path) ?? missingRequirement
        } catch {}  // The caller already knows that the file cannot be decrypted.
        if case .version = missingRequirement { return "\(missingRequirement): use that version" }
        return keys.ids.isEmpty
            ? "\(missingRequirement): specify it with --key, as in "
                + "`systemd-creds decrypt FILE - | reprisectl inspect --key - ARCHIVE`"
            : "\(missingRequirement), but the command was given \(keys.ids.joined(separator: " and "))"
    }

    /// Returns the type of a file, or `nil` if the file cannot be examined.
    private static func fileType(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Whether the file contains passes that the daemon can use.
    private var isUsable: Bool {
        inspection.completeByteCount > 0 && inspection.isHeaderIntact
    }

    /// Whether the archive is intact and was closed properly.
    var isClosed: Bool { inspection.condition == .whole && inspection.contents?.isClosed ?? false }

    // MARK: Problem

    /// Description of the problem, its location and its consequences, or `nil` if the archive is intact.
    var problem: String? {
        switch inspection.condition {
        case .whole:
            return nil
        case .torn(let tail):
            return """
                '\(path)' is torn at byte \(tail.offset): \(tail.reason). A daemon uses \(usablePartDescription); at \
                its next save, it drops the other \(countPhrase(tail.byteCount, "byte")) and puts a copy of \
                the file into quarantine. If a daemon is running, it may be writing: try again.
                """
        case .damaged(let reason, let offset):
            return "'\(path)' is damaged at byte \(offset): \(reason). \(remedy)"
        case .newer(let version):
            return """
                '\(path)' cannot be read: its format version \(version) is newer than \
                \(ArchiveFormat.version), the newest known version; use the reprisectl of the version \
                that wrote it.
                """
        }
    }

    private var remedy: String {
        let location = ArchiveLocation(path)
        switch location.kind {
        case .archive:
            return "A daemon puts it into quarantine and uses \(replacementDescription(location))."
        case .quarantined where isUsable:
            return
                "`reprisectl quarantine put-back \(location.name)` restores \(usablePartDescription)."
        case .quarantined where inspection.salvage != nil:
            return
                "`reprisectl quarantine put-back \(location.name) --salvage` restores \(usablePartDescription)."
        case .quarantined, .other:
            return isUsable || inspection.salvage != nil
                ? "Its usable part is \(usablePartDescription)."
                : "No part of it can be used: choose another file."
        }
    }

    /// Returns a description of the state that the daemon uses instead of a damaged archive.
    private func replacementDescription(_ location: ArchiveLocation) -> String {
        do throws(IOError) {
            if let directory = try Self.openDirectory(location.directory, keys),
                let generation = try inspection.newerGenerationPath(in: directory)
            {
                return "the generation '\(generation)', which is newer than the usable part"
            }
        } catch {
            return "a generation if one is newer than the usable part, which is unknown: \(error)"
        }
        return isUsable || inspection.salvage != nil
            ? usablePartDescription : "nothing: there is no older state, and the launch is pristine"
    }

    private var usablePartDescription: String {
        // A file with a usable pass is not salvaged.
        if let salvage = inspection.salvage {
            let intactObjectCount = salvage.contents.objects.count { $0.header.parent != 0 }
            return "the \(countPhrase(intactObjectCount, "intact object"))"
        }
        guard isUsable else { return "nothing" }
        return
            "its \(countPhrase(totals.passCount, "pass")) up to byte \(inspection.completeByteCount)"
    }
}

/// Location of an archive, derived from its path.
struct ArchiveLocation {
    /// Path of the directory.
    let directory: String
    /// Name of the file in the directory.
    let name: String

    init(_ path: String) {
        directory = path.containingDirectory
        name =
            path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init)
            ?? path
    }

    enum Kind {
        /// An application's current archive.
        case archive
        /// An archive in quarantine.
        case quarantined
        /// Any other file, for example a generation or a copy.
        case other
    }

    var kind: Kind {
        if name == "data.archive" { return .archive }
        return directory == "quarantine" || directory.hasSuffix("/quarantine")
            ? .quarantined : .other
    }
}
