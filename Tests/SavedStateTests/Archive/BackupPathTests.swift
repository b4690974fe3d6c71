import SavedState
import Testing

/// Tests of the paths of files in a backup.
struct BackupPathTests {
    @Test func `archives and documents are recognized by their paths`() throws {
        let archive = try #require(
            BackupPath("Saved Application State/org.example.A.savedState/data.archive"))
        guard case .archive("org.example.A") = archive else {
            Issue.record("\(archive)")
            return
        }
        let document = try #require(BackupPath("Documents/org.example.A/caf\u{E9}"))
        guard case .document("caf\u{E9}", "org.example.A") = document else {
            Issue.record("\(document)")
            return
        }
    }

    @Test(arguments: [
        "", "Documents", "Documents/a", "/Documents/a", "Documents//b", "Documents/a/b/c",
        "Documents/../b", "Documents/a/..", "Documents/a/.", "Documents/a/.b", "Documents/a/b\n",
        "Documents/a/b\u{0}", "Documents/a/b\u{7F}", "Other/a/b",
        "Saved Application State/a/data.archive",
        "Saved Application State/.savedState/data.archive",
        "Saved Application State/a.savedState/history", "Other/a.savedState/data.archive",
        "Saved Application State/a-rather-long-name/data.archive",
    ])
    func `any other path is rejected`(_ path: String) {
        #expect(BackupPath(path) == nil)
    }
}
