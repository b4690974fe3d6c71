internal import CLinux
import Glibc
package import SystemPackage

/// File systems on which the kernel does not report every change, because some changes are made by another machine, by
/// another process, or by the kernel itself.
package enum UnreliableFileSystem {
    /// Returns the name of the file system at a path if that file system does not report all changes, or `nil`
    /// otherwise.
    ///
    /// FUSE is included, because it can provide access to any storage.
    package static func name(at path: FilePath) -> String? {
        var status = statfs()
        guard path.withPlatformString({ statfs($0, &status) }) == 0 else { return nil }
        return fileSystemNamesByMagicNumber[UInt32(truncatingIfNeeded: status.f_type)]
    }

    static let fileSystemNamesByMagicNumber: [UInt32: String] = [
        UInt32(NFS_SUPER_MAGIC): "nfs", UInt32(SMB_SUPER_MAGIC): "smb",
        UInt32(CIFS_SUPER_MAGIC): "cifs", UInt32(SMB2_SUPER_MAGIC): "smb2",
        UInt32(V9FS_MAGIC): "9p", UInt32(AFS_SUPER_MAGIC): "afs", UInt32(AFS_FS_MAGIC): "afs",
        UInt32(CEPH_SUPER_MAGIC): "ceph", UInt32(CODA_SUPER_MAGIC): "coda",
        UInt32(NCP_SUPER_MAGIC): "ncp", UInt32(FUSE_SUPER_MAGIC): "fuse",
        UInt32(OCFS2_SUPER_MAGIC): "ocfs2", UInt32(PROC_SUPER_MAGIC): "proc",
        UInt32(SYSFS_MAGIC): "sysfs", UInt32(CGROUP2_SUPER_MAGIC): "cgroup2",
        // These three numbers are not defined in linux/magic.h.
        0x0116_1970: "gfs2", 0x0BD0_0BD0: "lustre", 0x786F_4256: "vboxsf",
    ]
}
