/* SPDX-License-Identifier: MIT */
/*
 * Where everything is in the structures that programs of several versions share: those of the public headers, and those that lie in the
 * group segment. Compiling this is the test. A line that is here is never changed: what is added takes reserved bytes, and gets a line.
 */
#include <stddef.h>
#include <stdint.h>

#include <tp/tp.h>

#include <tp/abi/chan.h>
#include <tp/abi/counters.h>
#include <tp/abi/heap.h>
#include <tp/abi/lock.h>
#include <tp/abi/names.h>
#include <tp/abi/segment.h>

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), "size of struct " #type)
#define AT(type, member, offset, bytes) \
	_Static_assert(offsetof(struct type, member) == (offset) && sizeof(((struct type *)0)->member) == (bytes), \
		"struct " #type ": " #member)
/* An array that goes on to the end. */
#define FROM(type, member, offset) _Static_assert(offsetof(struct type, member) == (offset), "struct " #type ": " #member)

/* <tp/buffer.h> */
SIZE(tp_buffer, 128);
AT(tp_buffer, magic, 0, 4);
AT(tp_buffer, flags, 4, 4);
AT(tp_buffer, data, 8, 8);
AT(tp_buffer, size, 16, 8);
AT(tp_buffer, itemsize, 24, 4);
AT(tp_buffer, dimensions, 28, 4);
AT(tp_buffer, format, 32, 8);
AT(tp_buffer, shape, 40, 64);
AT(tp_buffer, reserved, 104, 24);

/* <tp/chan.h> */
SIZE(tp_chan_options, 48);
AT(tp_chan_options, size, 0, 4);
AT(tp_chan_options, capacity, 4, 4);
AT(tp_chan_options, lanes, 8, 4);
AT(tp_chan_options, flags, 12, 4);
AT(tp_chan_options, reserved, 16, 32);
SIZE(tp_message, 32);
AT(tp_message, ptr, 0, 8);
AT(tp_message, id, 8, 8);
AT(tp_message, given, 16, 4);
AT(tp_message, repeated, 20, 4);
AT(tp_message, sender, 24, 8);

/* <tp/heap.h> */
SIZE(tp_heap_usage, 64);
AT(tp_heap_usage, size, 0, 8);
AT(tp_heap_usage, slabs, 8, 8);
AT(tp_heap_usage, slabs_free, 16, 8);
AT(tp_heap_usage, blocks, 24, 8);
AT(tp_heap_usage, bytes, 32, 8);
AT(tp_heap_usage, touched, 40, 8);
AT(tp_heap_usage, reserved, 48, 16);

/* <tp/lock.h> */
SIZE(tp_mutex, 16);
AT(tp_mutex, word, 0, 4);
AT(tp_mutex, state, 4, 4);
AT(tp_mutex, holder, 8, 8);
SIZE(tp_cond, 16);
AT(tp_cond, seq, 0, 4);
AT(tp_cond, waiters, 4, 4);
AT(tp_cond, reserved, 8, 8);
SIZE(tp_sem, 16);
AT(tp_sem, value, 0, 4);
AT(tp_sem, waiters, 4, 4);
AT(tp_sem, reserved, 8, 8);
SIZE(tp_barrier, 256);
AT(tp_barrier, state, 0, 8);
AT(tp_barrier, count, 8, 4);
AT(tp_barrier, reserved, 12, 4);
AT(tp_barrier, program, 16, 240);
SIZE(tp_rwlock, 512);
AT(tp_rwlock, word, 0, 4);
AT(tp_rwlock, state, 4, 4);
AT(tp_rwlock, holder, 8, 8);
AT(tp_rwlock, change, 16, 4);
AT(tp_rwlock, wanted, 20, 4);
AT(tp_rwlock, reserved, 24, 8);
AT(tp_rwlock, reader, 32, 480);

/* <tp/member.h> */
SIZE(tp_peer_info, 120);
AT(tp_peer_info, id, 0, 8);
AT(tp_peer_info, pid, 8, 4);
AT(tp_peer_info, state, 12, 4);
AT(tp_peer_info, satellite, 16, 4);
AT(tp_peer_info, reserved, 20, 4);
AT(tp_peer_info, start_ns, 24, 8);
AT(tp_peer_info, exit_ns, 32, 8);
AT(tp_peer_info, name, 40, 64);
AT(tp_peer_info, reserved_more, 104, 16);
SIZE(tp_owner, 112);
AT(tp_owner, id, 0, 8);
AT(tp_owner, memory, 8, 4);
AT(tp_owner, alive, 12, 4);
AT(tp_owner, block, 16, 8);
AT(tp_owner, size, 24, 8);
AT(tp_owner, name, 32, 64);
AT(tp_owner, reserved, 96, 16);
SIZE(tp_event, 144);
AT(tp_event, kind, 0, 4);
AT(tp_event, wait_status, 4, 4);
AT(tp_event, peer, 8, 120);
AT(tp_event, reserved, 128, 16);

/* <tp/name.h> */
SIZE(tp_name, 208);
AT(tp_name, ptr, 0, 8);
AT(tp_name, owner, 8, 8);
AT(tp_name, generation, 16, 8);
AT(tp_name, flags, 24, 4);
AT(tp_name, alive, 28, 4);
AT(tp_name, handle, 32, 16);
AT(tp_name, name, 48, 64);
AT(tp_name, type, 112, 64);
AT(tp_name, reserved, 176, 32);
SIZE(tp_name_cursor, 160);
AT(tp_name_cursor, at, 0, 8);
AT(tp_name_cursor, name, 8, 64);
AT(tp_name_cursor, type, 72, 64);
AT(tp_name_cursor, reserved, 136, 24);

/* <tp/str.h> */
SIZE(tp_str, 32);
AT(tp_str, data, 0, 8);
AT(tp_str, len, 8, 8);
AT(tp_str, local, 16, 16);
AT(tp_str, capacity, 16, 8);

/* <tp/vec.h> */
SIZE(tp_vec, 24);
AT(tp_vec, begin, 0, 8);
AT(tp_vec, end, 8, 8);
AT(tp_vec, limit, 16, 8);

/* <tp/abi/chan.h> */
SIZE(tp_lane, 384);
AT(tp_lane, chan, 0, 8);
AT(tp_lane, id_base, 8, 8);
AT(tp_lane, producer, 16, 8);
AT(tp_lane, start, 24, 8);
AT(tp_lane, owner, 32, 4);
AT(tp_lane, room, 36, 4);
AT(tp_lane, capacity, 40, 4);
AT(tp_lane, fence, 44, 4);
AT(tp_lane, reserved0, 48, 80);
AT(tp_lane, sent, 128, 8);
AT(tp_lane, backpressure, 136, 8);
AT(tp_lane, room_waits, 144, 8);
AT(tp_lane, reserved1, 152, 104);
AT(tp_lane, taken, 256, 8);
AT(tp_lane, acked, 264, 8);
AT(tp_lane, repeat_until, 272, 8);
AT(tp_lane, redelivered, 280, 8);
AT(tp_lane, ending, 288, 4);
AT(tp_lane, reserved2, 292, 4);
AT(tp_lane, reserved3, 296, 88);
FROM(tp_lane, slot, 384);
SIZE(tp_chan, 640);
AT(tp_chan, magic, 0, 8);
AT(tp_chan, version, 8, 4);
AT(tp_chan, capacity, 12, 4);
AT(tp_chan, lanes_max, 16, 4);
AT(tp_chan, flags, 20, 4);
AT(tp_chan, name, 24, 64);
AT(tp_chan, type, 88, 64);
AT(tp_chan, reserved0, 152, 104);
AT(tp_chan, attention, 256, 4);
AT(tp_chan, consumer, 260, 4);
AT(tp_chan, consumer_id, 264, 8);
AT(tp_chan, fd_key, 272, 8);
AT(tp_chan, takeovers, 280, 4);
AT(tp_chan, reserved1, 284, 4);
AT(tp_chan, reserved2, 288, 96);
AT(tp_chan, changes, 384, 4);
AT(tp_chan, freed, 388, 4);
AT(tp_chan, leaving, 392, 4);
AT(tp_chan, closed, 396, 4);
AT(tp_chan, reserved4, 400, 112);
AT(tp_chan, lanes, 512, 4);
AT(tp_chan, current, 516, 4);
AT(tp_chan, burst, 520, 4);
AT(tp_chan, changes_seen, 524, 4);
AT(tp_chan, deaths_seen, 528, 4);
AT(tp_chan, spin, 532, 4);
AT(tp_chan, sleeps, 536, 4);
AT(tp_chan, fence, 540, 4);
AT(tp_chan, to_tell, 544, 4);
AT(tp_chan, fd, 548, 4);
AT(tp_chan, restless, 552, 4);
AT(tp_chan, closed_seen, 556, 4);
AT(tp_chan, reserved6, 560, 80);
FROM(tp_chan, lane, 640);

/* <tp/abi/counters.h> */
SIZE(tp_error_count, 32);
AT(tp_error_count, count, 0, 8);
AT(tp_error_count, first_ns, 8, 8);
AT(tp_error_count, last_ns, 16, 8);
AT(tp_error_count, first_error, 24, 4);
AT(tp_error_count, last_error, 28, 4);
SIZE(tp_counters, 4096);
AT(tp_counters, id, 0, 8);
AT(tp_counters, reserved0, 8, 56);
AT(tp_counters, count, 64, 256);
AT(tp_counters, errors, 320, 768);
AT(tp_counters, reserved, 1088, 3008);

/* <tp/abi/heap.h> */
SIZE(tp_slab, 192);
AT(tp_slab, free, 0, 2);
AT(tp_slab, reserved0, 2, 2);
AT(tp_slab, count, 4, 4);
AT(tp_slab, bias, 8, 4);
AT(tp_slab, carved, 12, 4);
AT(tp_slab, units, 16, 4);
AT(tp_slab, reach, 20, 4);
AT(tp_slab, no_link, 30, 2);
AT(tp_slab, link, 32, 96);
AT(tp_slab, many.unit, 24, 8);
AT(tp_slab, many.step, 32, 8);
AT(tp_slab, many.links, 40, 8);
AT(tp_slab, many.base, 48, 8);
AT(tp_slab, many.size, 56, 4);
AT(tp_slab, many.max, 60, 4);
AT(tp_slab, remote, 128, 4);
AT(tp_slab, last, 132, 4);
AT(tp_slab, next, 136, 4);
AT(tp_slab, reserved2, 140, 52);
SIZE(tp_heap, 4096);
AT(tp_heap, top, 0, 4);
AT(tp_heap, reaped, 4, 4);
AT(tp_heap, dirty, 8, 8);
AT(tp_heap, low, 16, 4);
AT(tp_heap, reserved0, 20, 44);
AT(tp_heap, rooms, 64, 256);
AT(tp_heap, reserved1, 320, 3776);
SIZE(tp_arena, 64);
AT(tp_arena, magic, 0, 8);
AT(tp_arena, at, 8, 8);
AT(tp_arena, end, 16, 8);
AT(tp_arena, units, 24, 8);
AT(tp_arena, reserved, 32, 32);

/* <tp/abi/names.h> */
SIZE(tp_names_entry, 192);
AT(tp_names_entry, hash, 0, 8);
AT(tp_names_entry, generation, 8, 8);
AT(tp_names_entry, ptr, 16, 8);
AT(tp_names_entry, owner, 24, 8);
AT(tp_names_entry, next, 32, 4);
AT(tp_names_entry, flags, 36, 4);
AT(tp_names_entry, reserved, 40, 24);
AT(tp_names_entry, name, 64, 64);
AT(tp_names_entry, type, 128, 64);
SIZE(tp_names_bucket, 64);
AT(tp_names_bucket, head, 0, 8);
AT(tp_names_bucket, first, 8, 8);
AT(tp_names_bucket, ptr, 16, 8);
AT(tp_names_bucket, owner, 24, 8);
AT(tp_names_bucket, text, 32, 32);
SIZE(tp_names, 69242880);
AT(tp_names, changes, 0, 4);
AT(tp_names, waiting, 4, 4);
AT(tp_names, reserved0, 8, 56);
AT(tp_names, low, 64, 4);
AT(tp_names, fresh, 68, 4);
AT(tp_names, limit, 72, 4);
AT(tp_names, reserved1, 76, 52);
AT(tp_names, paged, 128, 512);
AT(tp_names, reserved2, 640, 3456);
AT(tp_names, bucket, 4096, 16777216);
AT(tp_names, claim, 16781312, 2097152);
AT(tp_names, room, 18878464, 32768);
AT(tp_names, entry, 18911232, 50331648);

/* <tp/abi/segment.h> */
SIZE(tp_range, 16);
AT(tp_range, addr, 0, 8);
AT(tp_range, len, 8, 8);
SIZE(tp_noted_fd, 16);
AT(tp_noted_fd, key, 0, 8);
AT(tp_noted_fd, fd, 8, 4);
AT(tp_noted_fd, reserved, 12, 4);
SIZE(tp_program, 1688);
AT(tp_program, id, 0, 8);
AT(tp_program, state, 8, 4);
AT(tp_program, pid, 12, 4);
AT(tp_program, unit, 16, 4);
AT(tp_program, wait_status, 20, 4);
AT(tp_program, start_ns, 24, 8);
AT(tp_program, exit_ns, 32, 8);
AT(tp_program, name, 40, 64);
AT(tp_program, events, 104, 4);
AT(tp_program, vforks, 108, 4);
AT(tp_program, extra_units_n, 112, 4);
AT(tp_program, outside_lost, 116, 4);
AT(tp_program, outside_n, 120, 4);
AT(tp_program, aio_n, 124, 4);
AT(tp_program, extra_units, 128, 128);
AT(tp_program, outside, 256, 768);
AT(tp_program, aio, 1024, 128);
AT(tp_program, pages, 1152, 8);
AT(tp_program, fatal_addr, 1160, 8);
AT(tp_program, fatal_signal, 1168, 4);
AT(tp_program, fatal_tid, 1172, 4);
AT(tp_program, started, 1176, 4);
AT(tp_program, start_stage, 1180, 4);
AT(tp_program, start_error, 1184, 4);
AT(tp_program, start_detail, 1188, 4);
AT(tp_program, warnings, 1192, 4);
AT(tp_program, kind, 1196, 4);
AT(tp_program, chan_busy, 1200, 8);
AT(tp_program, noted, 1208, 128);
AT(tp_program, reserved, 1336, 352);
SIZE(tp_area, 24);
AT(tp_area, off, 0, 8);
AT(tp_area, size, 8, 8);
AT(tp_area, reserved, 16, 8);
SIZE(tp_segment, 21640);
AT(tp_segment, magic, 0, 8);
AT(tp_segment, abi_major, 8, 2);
AT(tp_segment, abi_minor, 10, 2);
AT(tp_segment, header_size, 12, 4);
AT(tp_segment, features, 16, 8);
AT(tp_segment, base, 24, 8);
AT(tp_segment, size, 32, 8);
AT(tp_segment, registry_off, 40, 8);
AT(tp_segment, registry_count, 48, 4);
AT(tp_segment, registry_stride, 52, 4);
AT(tp_segment, supervisor_pid, 56, 4);
AT(tp_segment, host_pid, 60, 4);
AT(tp_segment, doorbell, 64, 4);
AT(tp_segment, registry_used, 68, 4);
AT(tp_segment, group, 72, 64);
AT(tp_segment, owner, 136, 16384);
AT(tp_segment, fork_lock, 16520, 8);
AT(tp_segment, dump_lock, 16528, 4);
AT(tp_segment, reserved1, 16532, 4);
AT(tp_segment, dirty, 16536, 2048);
AT(tp_segment, marked, 18584, 2048);
AT(tp_segment, deaths, 20632, 64);
AT(tp_segment, sleepers, 20696, 8);
AT(tp_segment, arrivals, 20704, 4);
AT(tp_segment, watchers, 20708, 4);
AT(tp_segment, control, 20712, 112);
AT(tp_segment, areas, 20824, 192);
AT(tp_segment, control_unnamed, 21016, 16);
AT(tp_segment, rung, 21032, 256);
AT(tp_segment, reserved, 21288, 352);

/* Numbers that stand in shared memory, or in compiled programs. */
_Static_assert(TP_FOREVER == -1 && TP_NOWAIT == 0 && TP_SECOND == 1000000000, "time-outs");
_Static_assert(TP_PUBLISH_KEEP == 1 && TP_PUBLISH_REPLACE == 2, "flags of tp_publish");
_Static_assert(TP_PEER_STARTING == 1 && TP_PEER_RUNNING == 2 && TP_PEER_GONE == 3 && TP_PEER_LINGERING == 4, "states");
_Static_assert(TP_MEMORY_NONE == 0 && TP_MEMORY_PRIVATE == 1 && TP_MEMORY_HEAP == 2 && TP_MEMORY_SEGMENT == 3 &&
	TP_MEMORY_SHARED_MALLOC == 4, "kinds of memory");
_Static_assert(TP_EVENT_ARRIVED == 1 && TP_EVENT_DIED == 2, "kinds of events");
_Static_assert(TP_CHAN_NO_SPIN == 1, "flags of channels");
_Static_assert(TP_SEGMENT_BASE == UINT64_C(0x7e9000000000) && TP_HEAP_BASE == UINT64_C(0x7e9040000000) && TP_AT_TP == 0x5450, "places");

int main(void)
{
	return 0;
}
