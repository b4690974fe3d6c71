import ExactText
import LinuxIO
import SavedState

/// Number of files that an operation found or processed, and the operation's failures.
///
/// Each failure concerns a file that could not be checked or processed, or files that could not be listed.
public struct FileTally: Sendable, Equatable {
    /// Number of files.
    public private(set) var count = 0
    /// Failures, each described in one sentence.
    public private(set) var failures: [String] = []

    /// Creates a tally with no files and no failures.
    package init() {}

    /// Adds the files and failures of another tally.
    package mutating func add(_ otherTally: FileTally) {
        count += otherTally.count
        failures += otherTally.failures
    }

    /// Adds a failure to the tally.
    mutating func record(failure: String) { failures.append(failure) }

    /// Counts a file if a closure returns `true`, or adds a failure if the closure throws an error.
    mutating func countFile<Failure>(_ body: () throws(Failure) -> Bool) {
        do throws(Failure) { if try body() { count += 1 } } catch { record(failure: "\(error)") }
    }

    /// Returns the files listed by a closure.
    ///
    /// If the closure throws an error, this method records the failure and returns an empty list.
    fileprivate mutating func list<Files: ExpressibleByArrayLiteral>(
        _ body: () throws(IOError) -> Files
    ) -> Files {
        do throws(IOError) {
            return try body()
        } catch {
            record(failure: "\(error)")
            return []
        }
    }
}

extension Application {
    /// Re-encrypts each of the application's stored files that does not match the configured keys.
    ///
    /// The method processes the archive, the history, the quarantine and the documents. Each file is replaced durably,
    /// and turns can run between files. If the task is cancelled, the method returns early. A file that cannot be
    /// re-encrypted is not changed and remains readable.
    ///
    /// - Returns: The number of re-encrypted files, and the failures.
    public func rekey() async -> FileTally {
        await waitUntilLaunchesEnd()
        var rekeyedTally = FileTally()
        let reencryptor = stateDirectory.reencryptor
        if saver.archive.hasState, !saver.isStateRemoved,
            reencryptor.archiveMayNeedReencryption(of: bundleIdentifier)
        {
            if let failure = saver.rewrite() {
                rekeyedTally.record(failure: failure)
            } else {
                rekeyedTally.countFile { true }
            }
        }
        let files = rekeyedTally.list { () throws(IOError) in
            try reencryptor.files(of: bundleIdentifier)
        }
        for file in files {
            if Task.isCancelled { break }
            // If the application has been launched since, its saver re-encrypts the archive.
            if file.isArchive, saver.archive.hasState { continue }
            rekeyedTally.countFile { () throws(IOError) in try reencryptor.reencrypt(file) }
            await Task.yield()
        }
        return rekeyedTally
    }
}

extension ApplicationStateDirectory {
    /// Identifier of the key that encrypts new files (16 hexadecimal digits), or `nil` if new files are not
    /// encrypted.
    public var encryptionKey: String? { directory.sealingKeyID }

    /// Re-encrypts the launch records and the files of applications that this process does not host.
    ///
    /// - Parameter hostedIdentifiers: The bundle identifiers of the hosted applications, whose files are not changed.
    /// - Returns: The number of re-encrypted files, and the failures.
    public func rekey(excluding hostedIdentifiers: [String]) async -> FileTally {
        let (reencryptor, launchGuard) = (reencryptor, launchGuard)
        var rekeyedTally = FileTally()
        let (ledger, damagedLedger) = reencryptor.launchFiles
        rekeyedTally.add(
            await rekeyQueue.run {
                var tally = FileTally()
                do throws(IOError) {
                    if try reencryptor.needsReencryption(ledger) {
                        let isWritten = try launchGuard.rewrite()
                        tally.countFile { isWritten }
                        if !isWritten {
                            tally.record(
                                failure: """
                                    '\(ledger.path)' could not be used when the daemon started, \
                                    and has not been rewritten since: restart the daemon.
                                    """)
                        }
                    }
                } catch {
                    tally.record(failure: "\(error)")
                }
                return tally
            })
        var files = [damagedLedger]
        let bundleIdentifiers = rekeyedTally.list { () throws(IOError) in
            try reencryptor.bundleIdentifiers()
        }
        for bundleIdentifier in bundleIdentifiers
        where !hostedIdentifiers.contains(bundleIdentifier) {
            files += rekeyedTally.list { () throws(IOError) in
                try reencryptor.files(of: bundleIdentifier)
            }
        }
        for file in files {
            if Task.isCancelled { break }
            rekeyedTally.add(
                await rekeyQueue.run {
                    var tally = FileTally()
                    tally.countFile { () throws(IOError) in try reencryptor.reencrypt(file) }
                    return tally
                })
        }
        return rekeyedTally
    }

    /// Counts the files that do not match the configured keys, without changing any file.
    ///
    /// - Returns: The number of files and the failures, or `nil` if the task was cancelled before all files were
    ///   checked.
    public func outdatedFiles() async -> FileTally? {
        let reencryptor = reencryptor
        return await rekeyQueue.runUnlessCancelled { isCancelled in
            var outdatedTally = FileTally()
            let (ledger, damagedLedger) = reencryptor.launchFiles
            var files = [ledger, damagedLedger]
            let bundleIdentifiers = outdatedTally.list { () throws(IOError) in
                try reencryptor.bundleIdentifiers()
            }
            for bundleIdentifier in bundleIdentifiers {
                if isCancelled() { break }
                files += outdatedTally.list { () throws(IOError) in
                    try reencryptor.files(of: bundleIdentifier)
                }
            }
            for file in files {
                if isCancelled() { break }
                outdatedTally.countFile { () throws(IOError) in
                    try reencryptor.needsReencryption(file)
                }
            }
            return outdatedTally
        }
    }
}
