import Glibc
import Testing

@testable import Reprise

@Suite struct AccountsTests {
    @Test func `accounts are found by name`() throws {
        #expect(try Accounts.groupID(named: "root") == 0)
        #expect(try Accounts.groupID(named: "none such") == nil)
        let root = try #require(try Accounts.user(named: "root"))
        #expect(root == (0, 0))
        #expect(try Accounts.user(named: "none such") == nil)
    }

    @Test func `a group with many members is looked up with a larger buffer`() throws {
        var sizes: [Int] = []
        let value = try Accounts.lookUp { _, size in
            sizes.append(size)
            return size < 1 << 20 ? (ERANGE, nil) : (0, 7)
        }
        #expect(value == 7)
        #expect(sizes == [16 << 10, 256 << 10, 4 << 20])
    }

    @Test(arguments: [(CInt(0), nil), (ENOENT, nil), (ESRCH, nil), (EIO, EIO), (ERANGE, ERANGE)])
    func `a failed lookup is not a missing account`(code: CInt, expected: CInt?) {
        let failure: CInt?
        do throws(Accounts.LookupError) {
            let value: gid_t? = try Accounts.lookUp { _, _ in (code, nil) }
            #expect(value == nil)
            failure = nil
        } catch {
            failure = error.errno
        }
        #expect(failure == expected)
    }

    @Test func `the error for an account says whether the account exists`() {
        typealias Failure = ConfigurationCheckOverrides.Failure
        func failure(_ lookUp: () throws(Accounts.LookupError) -> Int?) -> String? {
            let account = Result<Int, Failure> { () throws(Failure) in
                try Failure.require("group", "panel", lookUp)
            }
            if case .failure(let failure) = account { return failure.description }
            return nil
        }
        #expect(failure { 7 } == nil)
        #expect(failure { nil }?.hasPrefix("the group panel of the unit does not exist: ") == true)
        let unreadable = failure { () throws(Accounts.LookupError) in
            throw Accounts.LookupError(errno: EIO)
        }
        #expect(
            unreadable?.hasPrefix(
                "the group panel of the unit could not be looked up (Input/output error): ") == true
        )
    }
}
