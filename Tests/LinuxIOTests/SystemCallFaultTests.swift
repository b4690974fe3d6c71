import Glibc
import TestSupport
import Testing

@testable import LinuxIO

/// Errors of system calls that no file can cause. Each test runs in its own process.
@Suite struct SystemCallFaultTests {
    @Test func `creating a directory fails if its entry cannot be synced`() async throws {
        let scratch = try ScratchDirectory()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            try refuse(.fsync, with: EIO)
            #expect(throws: IOError(.synchronizeDirectory, path: path, code: EIO)) {
                try Directory.openOrCreate("\(path)/a/b")
            }
        }
    }

    @Test func `listing a directory fails if its entries cannot be read`() async throws {
        let scratch = try ScratchDirectory()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            let directory = try #require(try Directory.open(path))
            try refuse(.getdents, with: EIO)
            #expect(throws: IOError(.list, path: path, code: EIO)) { try directory.names() }
        }
    }

    @Test func `nothing is written at an offset while the file can only be appended to`()
        async throws
    {
        let scratch = try ScratchDirectory()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            let file = try Directory.openOrCreate(path).createFile("file")
            try file.write([1, 2, 3])
            try refuse(.fcntl, with: EPERM)
            for _ in 1...2 {
                #expect(throws: IOError(.write, path: "\(path)/file", code: EPERM)) {
                    try file.write([9], at: 0)
                }
                #expect(try file.read(upTo: 9) == [1, 2, 3])
            }
        }
    }

    @Test func `nothing is appended while the file can only be written at an offset`()
        async throws
    {
        let scratch = try ScratchDirectory()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            let file = try Directory.openOrCreate(path).createFile("file")
            try file.write([1, 2, 3])
            try file.write([4], at: 0)
            try refuse(.fcntl, with: EPERM)
            for _ in 1...2 {
                #expect(throws: IOError(.write, path: "\(path)/file", code: EPERM)) {
                    try file.write([9])
                }
                #expect(try file.read(upTo: 9) == [4, 2, 3])
            }
        }
    }
}

/// Number of a system call.
private enum SystemCall: UInt64 {
    #if arch(x86_64)
        case fcntl = 72
        case fsync = 74
        case getdents = 217
    #else
        case fcntl = 25
        case fsync = 82
        case getdents = 61
    #endif
}

/// Makes a system call fail on this thread from now on (see seccomp(2)).
private func refuse(_ call: SystemCall, with code: CInt) throws {
    typealias Control = @convention(c) (CInt, UInt, UInt, UInt, UInt) -> CInt
    let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "prctl"))
    let control = unsafeBitCast(symbol, to: Control.self)
    let (noNewPrivileges, seccomp) = (CInt(38), CInt(22))
    try #require(control(noNewPrivileges, 1, 0, 0, 0) == 0)
    // An instruction consists of an operation of 16 bits, two jump distances of 8 bits each, and an
    // operand of 32 bits.
    let loadNumber: UInt64 = 0x20
    let skipNextIfOtherCall: UInt64 = 0x0100_0015 + call.rawValue << 32
    let returnError: UInt64 = 0x5_0000_0000_0006 + UInt64(code) << 32
    let allow: UInt64 = 0x7FFF_0000_0000_0006
    let filter = [loadNumber, skipNextIfOtherCall, returnError, allow]
    try filter.withUnsafeBufferPointer { instructions in
        let program = [UInt(instructions.count), UInt(bitPattern: instructions.baseAddress)]
        try program.withUnsafeBufferPointer { program in
            try #require(control(seccomp, 2, UInt(bitPattern: program.baseAddress), 0, 0) == 0)
        }
    }
}
