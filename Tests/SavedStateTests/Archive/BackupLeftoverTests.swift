import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import SavedState

/// Tests of files that an interrupted restore has left.
@Suite struct BackupLeftoverTests {
    @Test func `the error names the leftover of an interrupted restore that cannot be removed`()
        throws
    {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            let staging = ".\(Sample.application).restored"
            _ = try root.openOrCreateSubdirectory("Documents").openOrCreateSubdirectory(staging)
                .openOrCreateSubdirectory("obstacle")
            let error = IOError(
                .remove, path: "\(path)/Documents/\(staging)/obstacle", code: EISDIR)
            #expect(throws: error) { try BackupInstallation(of: Sample.application, in: root) }
        }
    }
}
